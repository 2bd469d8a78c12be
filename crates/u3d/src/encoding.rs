//! The encodings of normals in [`meshlens_lens`], and Ultimate 3D's names for some of them.
//!
//! Version 1.0 has [`U3dNormal8`], version 2.0 [`U3dNormal16`]. Early files of version 2.0 store a normal in two bytes.
//! It is not documented whether these are [`U3dNormal8`] or [`U3dNormal8Full`].

#[doc(inline)]
pub use meshlens_lens::encoding::LatitudeLongitude8 as U3dNormal8;
#[doc(inline)]
pub use meshlens_lens::encoding::LatitudeLongitude8Full as U3dNormal8Full;
#[doc(inline)]
pub use meshlens_lens::encoding::LatitudeLongitude16 as U3dNormal16;
pub use meshlens_lens::encoding::*;
