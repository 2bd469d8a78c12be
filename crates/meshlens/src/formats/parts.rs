//! The located parts of a file of any format, and their trait.

use alloc::boxed::Box;
use core::fmt;

use meshlens_lens::ArrayParts;
use meshlens_wire::{Data, Error, ErrorKind, Partial, Piece, Pieces, Result};

use super::document::unknown_format;
use super::{Document, Format, Parts};
use crate::part::{FileRange, Front, Part, PartInfo};

/// The operations of the located parts of every format. [`Parts`] dereferences to them. Only this crate implements it.
pub trait FormatParts: PartList {
    /// The format.
    fn format(&self) -> Format;

    /// The locations of the arrays of vertices and indices, mesh by mesh and frame by frame, with the same names in
    /// every format. Packed arrays (UNIGINE ms14) are not listed. Morph targets of UNIGINE after the first are not
    /// listed either, because their locations depend on the data before them. O(1) for each array.
    fn arrays(&self) -> Box<dyn Iterator<Item = ArrayParts> + '_>;

    /// Binds the parts to the bytes of the whole file.
    ///
    /// # Errors
    ///
    /// `bytes` are shorter than the file, or the format needs a second file.
    fn bind(self, bytes: &[u8]) -> Result<Document<'_>>
    where
        Self: Sized;
}

/// The parts of a file that can be loaded separately. [`Parts`] dereferences to them. Only this crate implements it.
pub trait PartList: fmt::Debug + super::Sealed {
    /// The number of files that the model consists of.
    fn file_count(&self) -> usize {
        1
    }

    /// The number of meshes of the [`Model`](crate::Model).
    fn mesh_count(&self) -> usize;

    /// The level of detail of a mesh, 0 for the finest.
    fn lod(&self, mesh: usize) -> usize {
        let _ = mesh;
        0
    }

    /// The number of frames or morph targets of a mesh; 0 if it is out of range. O(1); O(frames) in Ultimate 3D.
    fn frame_count(&self, mesh: usize) -> usize;

    /// The number of animations of joints.
    fn clip_count(&self) -> usize {
        0
    }

    /// Finds a part that is not a combination of others; `None` if the file does not have it. Ranges may be empty or
    /// adjacent.
    fn find(&self, part: Part) -> Option<PartInfo>;

    /// Binds the parts to the available bytes of the files. Getters of missing bytes return
    /// [`Incomplete`](ErrorKind::Incomplete).
    ///
    /// # Errors
    ///
    /// A file is shorter than the parts, or the number of files is wrong.
    fn bind_pieces<'a>(&'a self, files: &[&'a dyn Pieces]) -> Result<Document<'a, Partial>>;
}

/// The first bytes of a file.
#[derive(Debug)]
struct Prefix<'a> {
    bytes: &'a [u8],
    file_len: u64,
}

impl Pieces for Prefix<'_> {
    fn file_len(&self) -> u64 {
        self.file_len
    }

    fn piece_before(&self, _offset: u64) -> Option<Piece<'_>> {
        Some(Piece { offset: 0, bytes: self.bytes })
    }
}

/// The only file of a model.
#[allow(dead_code, reason = "not every format has one file")]
pub(super) fn one_file<'a>(files: &[&'a dyn Pieces]) -> Result<&'a dyn Pieces> {
    match files {
        [file] => Ok(*file),
        _ => Err(wrong_count(files)),
    }
}

/// The error for a wrong number of files.
fn wrong_count(files: &[&dyn Pieces]) -> Error {
    let (expected, found) = (1, files.len() as u64);
    Error::of_call("meshlens", ErrorKind::Length { what: "files of a model", expected, found })
}

/// Detects the format of a file whose first bytes are available.
fn detect(file: &dyn Pieces) -> Result<Format> {
    let data = Data::of_pieces("meshlens", file);
    let found = Format::detect(data.bytes());
    // A few bytes may be enough. If not, all bytes that detection can use are requested.
    let looked_at = file.file_len().min(Format::DETECT_BYTES as u64);
    match found {
        Some(format) => Ok(format),
        None if (data.bytes().len() as u64) < looked_at => Err(data.incomplete(0, looked_at)),
        None => Format::knows_other(data.bytes()).ok_or_else(|| unknown_format(data.bytes())),
    }
}

impl Parts {
    /// Detects the format of a file of `file_len` bytes that begins with `prefix`, and locates its parts. This is the
    /// first step of [`Document::parse`].
    ///
    /// ```
    /// use meshlens::Parts;
    /// use meshlens::lens::Semantic;
    /// use meshlens::wire::{Data, ErrorKind};
    ///
    /// # let bytes = meshlens::md3::write::sample(&[8.0])?;
    /// # let fetch = |range: std::ops::Range<u64>| &bytes[range.start as usize..range.end as usize];
    /// # let file_len = bytes.len() as u64;
    /// // Fetch as many bytes as the headers need.
    /// let mut needed = 64;
    /// let parts = loop {
    ///     match Parts::locate(fetch(0..needed), file_len) {
    ///         Ok(parts) => break parts,
    ///         Err(error) => match *error.kind() {
    ///             ErrorKind::Incomplete { needed: more, .. } => needed = more,
    ///             _ => return Err(error.into()),
    ///         },
    ///     }
    /// };
    /// assert!(needed < file_len);
    ///
    /// // Fetch only the positions.
    /// let positions = parts.arrays().find(|array| array.semantic == Semantic::Position).ok_or("no positions")?;
    /// let range = positions.byte_range();
    /// let positions = positions.bind(Data::part("md3", fetch(range.clone()), range.start, file_len))?;
    /// assert_eq!(positions.lens.get(1), Some([0.0f32, 8.0, 0.0]));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Incomplete`](crate::wire::ErrorKind::Incomplete) if more of the file is needed; the error has the number of
    /// bytes. Also if the bytes have no known format, or the parser fails.
    pub fn locate(prefix: &[u8], file_len: u64) -> Result<Parts> {
        let prefix = Prefix { bytes: prefix, file_len: file_len.max(prefix.len() as u64) };
        (detect(&prefix)?.info().locate)(&prefix)
    }

    /// Locates the parts of a file of `format`, independent of its first bytes.
    ///
    /// # Errors
    ///
    /// Same as [`locate`](Self::locate). A single file of an Unreal mesh is not a mesh: use `locate_pair` for both
    /// files.
    pub fn locate_as(format: Format, prefix: &[u8], file_len: u64) -> Result<Parts> {
        (format.info().locate)(&Prefix { bytes: prefix, file_len: file_len.max(prefix.len() as u64) })
    }

    /// Detects the format of a partially loaded model and locates its parts. `files` is one file, or the two files of
    /// an Unreal mesh, geometry first.
    ///
    /// Only the bytes between the arrays are needed. UNIGINE also needs the records of skin weights and animations, and
    /// Unreal in rare cases the triangles.
    ///
    /// # Errors
    ///
    /// [`Incomplete`](ErrorKind::Incomplete) if more bytes are needed, starting at the error's [offset](Error::offset).
    /// [`missing`](Self::missing) returns the file. Otherwise the same as [`locate`](Self::locate).
    pub fn locate_pieces(files: &[&dyn Pieces]) -> Result<Parts> {
        match files {
            [file] => (detect(*file)?.info().locate)(*file),
            [first, second] => {
                let pair = Format::ALL.iter().find_map(|format| format.info().locate_pair);
                pair.ok_or_else(|| wrong_count(files)).and_then(|(locate, _)| locate(*first, *second))
            }
            _ => Err(wrong_count(files)),
        }
    }

    /// The missing bytes because of which [`locate_pieces`](Self::locate_pieces) returned `error`; `None` if the error
    /// has another cause.
    pub fn missing(error: &Error, files: &[&dyn Pieces]) -> Option<FileRange> {
        let ErrorKind::Incomplete { needed, .. } = *error.kind() else { return None };
        let file = Self::file_of(error);
        // Some bytes after the error's offset may be loaded.
        let here = Data::of_pieces("meshlens", *files.get(file)?).rest(error.offset()).len();
        let start = error.offset().saturating_add(here as u64);
        Some(FileRange::new(file, start..needed.max(start.saturating_add(1))))
    }

    /// The index of the file in which an error occurred: 1 for the frames file of an Unreal mesh, otherwise 0.
    pub fn file_of(error: &Error) -> usize {
        let is_second =
            |format: &Format| format.info().locate_pair.is_some_and(|(_, second)| second == error.format());
        usize::from(Format::ALL.iter().any(is_second))
    }

    /// What is known about a model before its parts are located: the format, and in MD3 and UNIGINE the bounds, if their bytes
    /// are loaded.
    ///
    /// # Errors
    ///
    /// Same as [`locate_pieces`](Self::locate_pieces).
    pub fn locate_front(files: &[&dyn Pieces]) -> Result<Front> {
        match files {
            [file] => {
                let format = detect(*file)?;
                Ok(Front { format: Some(format), ..(format.info().locate_front)(*file)? })
            }
            _ => Ok(Front::default()),
        }
    }

    /// The number of levels of detail. O(meshes).
    pub fn lod_count(&self) -> usize {
        (0..self.mesh_count()).map(|mesh| self.lod(mesh).saturating_add(1)).max().unwrap_or(0)
    }

    /// The location of a part, its decoded size and its dependencies; `None` if the file does not have it.
    pub fn part(&self, part: Part) -> Option<PartInfo> {
        let find = |part| self.find(part);
        let mut found = match part {
            Part::Mesh { mesh, frame } => {
                let frame = PartInfo::new(part).and(find(Part::Frame { mesh, frame })?);
                of_all_frames(mesh).into_iter().filter_map(find).fold(frame, PartInfo::and).sorted()
            }
            Part::Lod { lod } => {
                let meshes = (0u32..).take(self.mesh_count());
                let meshes = meshes.filter(|mesh| self.lod(*mesh as usize) == lod as usize);
                let meshes = meshes.filter_map(|mesh| self.part(Part::Mesh { mesh, frame: 0 }));
                meshes.fold(PartInfo::new(part), PartInfo::and).finish()?
            }
            Part::Model { lod } => {
                let levels = (0..self.mesh_count()).map(|mesh| self.lod(mesh));
                // `None` if there are no meshes, as in an animation of joints.
                let shown = levels.filter(|level| *level <= lod as usize).max();
                let is_of_other = |mesh: u32| Some(self.lod(mesh as usize)) != shown;
                let parts = self.parts().filter(|part| !part.mesh().is_some_and(is_of_other));
                parts.filter_map(find).fold(PartInfo::new(part), PartInfo::and).sorted()
            }
            part => find(part)?.finish()?,
        };
        found.retain_needs(|part| find(part).and_then(PartInfo::finish).is_some());
        Some(found)
    }

    /// The parts that are not combinations of others, in the order in which they are usually loaded. There is one part
    /// for each frame of each mesh; the iterator allocates nothing.
    pub fn parts(&self) -> impl Iterator<Item = Part> + '_ {
        let of_all = [Part::Header, Part::Bounds, Part::Skeleton, Part::Tags, Part::Names, Part::Materials]
            .into_iter();
        let of_meshes = (0u32..).take(self.mesh_count()).flat_map(|mesh| {
            let frames = (0u32..).take(self.frame_count(mesh as usize));
            of_all_frames(mesh).into_iter().chain(frames.map(move |frame| Part::Frame { mesh, frame }))
        });
        let clips = (0u32..).take(self.clip_count()).map(|clip| Part::Clip { clip });
        of_all.chain(of_meshes).chain(clips).filter(|part| self.part(*part).is_some())
    }
}

/// The parts of a mesh that all of its frames need.
const fn of_all_frames(mesh: u32) -> [Part; 4] {
    [Part::Indices { mesh }, Part::Texcoords { mesh }, Part::Colors { mesh }, Part::Weights { mesh }]
}
