//! Images that a file names or contains for a material.

use alloc::string::String;
use alloc::sync::Arc;
use core::fmt;
use core::hash::{Hash, Hasher};
use core::ops::Deref;

/// The image file of a texture, if a model's file specifies it separately from the name of the texture.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum ImageSource {
    /// A file, by its path relative to the model's file. After the materials were resolved, its path in the mounts.
    File(String),
    /// The content of an image file of any format, which the model's file contains.
    Embedded(ImageBytes),
}

/// The bytes of an image file. Clones share them.
///
/// ```
/// use meshlens::model::ImageBytes;
///
/// let image = ImageBytes::new(b"\x89PNG".to_vec());
/// assert!(image.starts_with(b"\x89PNG"));
/// assert_eq!(image, image.clone());
/// ```
#[derive(Clone)]
pub struct ImageBytes(Arc<dyn AsRef<[u8]> + Send + Sync>);

impl ImageBytes {
    /// Takes bytes, or anything that owns bytes. O(1).
    pub fn new(owner: impl AsRef<[u8]> + Send + Sync + 'static) -> ImageBytes {
        ImageBytes(Arc::new(owner))
    }
}

impl Deref for ImageBytes {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        (*self.0).as_ref()
    }
}

impl AsRef<[u8]> for ImageBytes {
    fn as_ref(&self) -> &[u8] {
        self
    }
}

/// O(1) for clones of the same image, otherwise O(length).
impl PartialEq for ImageBytes {
    fn eq(&self, other: &ImageBytes) -> bool {
        Arc::ptr_eq(&self.0, &other.0) || self[..] == other[..]
    }
}

impl Eq for ImageBytes {}

/// Only the length is hashed: images are few and large.
impl Hash for ImageBytes {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.len().hash(state);
    }
}

impl fmt::Debug for ImageBytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} bytes", self.len())
    }
}
