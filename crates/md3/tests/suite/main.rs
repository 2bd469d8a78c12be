//! MD3 files as a whole.

mod allocation;
mod animation;
mod arrays;
mod clips;
mod damage;
mod findings;
mod limits;
mod losses;
mod partial;
mod skin;
mod tags;
