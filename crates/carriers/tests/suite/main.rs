//! Vertex animation textures and USD.

mod usd;
mod vat;
