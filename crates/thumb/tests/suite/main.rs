//! Pictures of models of the corpus and of models in memory.

mod hostile;
mod orientation;
mod same;
mod seen;
