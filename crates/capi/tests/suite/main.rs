//! The interface as C sees it.

mod programs;
