//! The model view over any format: every frame, pose, tag, clip and companion.
#![no_main]

meshlens_fuzz::target!(model, None);
