//! The state of a viewer of game models, without a window.
//!
//! [`State`] is a whole viewer apart from its interface: the list of models, the open model, playback, the camera and
//! what is shown. It needs no window and no GPU.
#![forbid(unsafe_code)]

/// Implements `ALL` and `name` of an enum from which the user chooses.
macro_rules! choices {
    ($choice:ident: $($variant:ident $name:literal),*) => {
        impl $choice {
            /// Every variant.
            pub const ALL: [$choice; [$($name),*].len()] = [$($choice::$variant),*];

            /// The name for people.
            pub const fn name(self) -> &'static str {
                match self {
                    $($choice::$variant => $name,)*
                }
            }
        }
    };
}

mod attached;
pub mod camera;
/// The clock of the system, or of the browser.
pub mod clock {
    #[cfg(not(target_arch = "wasm32"))]
    pub use std::time::Instant;
    #[cfg(target_arch = "wasm32")]
    pub use web_time::Instant;
}
mod content;
mod export;
pub mod findings;
mod geometry;
pub mod library;
pub mod marks;
pub mod memory;
pub mod opened;
mod options;
mod pick;
pub mod pictures;
pub mod playback;
mod shown;
mod state;
pub mod text;
pub mod tone;

pub use attached::Attached;
pub use content::{Failure, File};
pub use export::{export_name, export_png};
pub use options::{Look, Options, UpAxis};
pub use state::State;
