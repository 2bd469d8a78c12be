//! A skeleton, weights and rigid keys from vertex frames.
//!
//! This is skinning decomposition after Binh Huy Le and Zhigang Deng, "Smooth Skinning Decomposition with Rigid Bones",
//! ACM Transactions on Graphics 31 (6), 2012, and "Robust and Accurate Skeletal Rigging from Mesh Sequences", ACM
//! Transactions on Graphics 33 (4), 2014.

mod rigid;

pub use rigid::{Moments, Rigid};
