//! glTF out and in.

mod back;
mod clips;
mod compressed;
mod formats;
mod frames;
mod materials;
mod md3;
mod memory;
mod quantize;
mod rigs;
mod sampling;
mod scenes;
mod size;
mod skins;
mod small;
mod values;
