//! MD3 files as a whole.

mod allocation;
mod arrays;
mod damage;
mod files;
mod limits;
