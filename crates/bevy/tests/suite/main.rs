//! The plug-in without a window and without a GPU.

mod app;
mod doors;
mod files;
mod frames;
mod gltf;
mod kept;
mod labels;
mod log;
mod parts;
mod reload;
mod settings;
mod skeleton;
mod sources;
mod streaming;
