//! Skeletons, vertex animation textures and USD.

mod skeleton;
mod usd;
mod vat;
