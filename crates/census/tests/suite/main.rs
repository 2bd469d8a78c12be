//! Tests of the rows, and of the command.

#![cfg(feature = "command")]

mod beside;
mod command;
mod doors;
mod hostile;
mod kill;
mod manifest;
mod real;
mod rows;
mod server;
mod servers;
mod table;
