//! The interface as C sees it.

mod guide;
mod natvis;
mod programs;
mod scenes;
