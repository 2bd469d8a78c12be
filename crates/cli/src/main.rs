//! The meshlens command.
fn main() {}
