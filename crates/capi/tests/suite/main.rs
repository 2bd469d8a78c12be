//! The interface as C programs use it.

mod guide;
mod natvis;
mod programs;
mod scenes;
