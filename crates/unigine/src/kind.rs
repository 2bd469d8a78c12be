//! The kinds of files: meshes and animations.

use core::fmt::Debug;

/// The kind of a [`File`](crate::File): [`MeshFile`] or [`AnimFile`].
pub trait FileKind: Copy + Debug + sealed::Sealed {
    /// Whether files of this kind are meshes.
    const IS_MESH: bool;
    /// The names of the versions of this kind, for errors.
    #[doc(hidden)]
    const VERSIONS: &'static str;
}

mod sealed {
    pub trait Sealed {}
    impl Sealed for super::MeshFile {}
    impl Sealed for super::AnimFile {}
}

/// The kind of a mesh file (`.mesh`).
#[derive(Clone, Copy, Debug)]
pub enum MeshFile {}

/// The kind of an animation file (`.anim`).
#[derive(Clone, Copy, Debug)]
pub enum AnimFile {}

impl FileKind for MeshFile {
    const IS_MESH: bool = true;
    const VERSIONS: &'static str = "\"ms10\" to \"ms14\"";
}

impl FileKind for AnimFile {
    const IS_MESH: bool = false;
    const VERSIONS: &'static str = "\"an10\" or \"an11\"";
}
