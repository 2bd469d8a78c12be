//! The interface as C sees it.

mod natvis;
mod programs;
mod scenes;
