//! The validator: content that some readers fail on, or that looks like a mistake.

mod animation;
mod skeleton;
mod surface;

use core::fmt;

use meshlens_wire::{Name, Report};

use crate::{BoundingVolume, File, FileKind, NonMinimalInts, codes};

/// Adds all findings about a mesh or an animation file to `report`. O(file), plus the unpacked size of packed blocks.
pub fn validate<K: FileKind>(file: &File<'_, K>, report: &mut Report) {
    let mut v = Validator { report };
    let parts = file.parts();
    v.ends(file.end(), file.data().file_len(), parts.non_minimal_ints());
    if let Some((bounds, offset)) = file.stored_bounds().zip(file.bounds_offset()) {
        v.bounds(&bounds, offset, format_args!("/bounds"));
    }
    v.skeleton(file.skeleton());
    if !K::IS_MESH && parts.animations().is_empty() {
        let message = format_args!("there is no animation");
        v.report.add(&codes::NO_ANIMATIONS, file.end(), format_args!("/animations"), message);
    }
    for animation in file.animations() {
        v.animation(&animation);
    }
    let bones = parts.skeleton().len();
    if let Some(offset) = parts.surface_count_offset().filter(|_| parts.surfaces().is_empty()) {
        let message = format_args!("there is no surface, only {bones} bones");
        v.report.add(&codes::NO_SURFACES, offset, format_args!("/surfaces"), message);
    }
    v.surfaces(file.all_surfaces(), bones);
}

/// Collects the findings. Each module adds the findings about its part.
struct Validator<'v> {
    report: &'v mut Report,
}

impl Validator<'_> {
    fn ends(&mut self, end: u64, file_len: u64, ints: NonMinimalInts) {
        if let Some(extra) = file_len.checked_sub(end).filter(|extra| *extra > 0) {
            let message = format_args!("{extra} bytes follow the last magic");
            self.report.add(&codes::TRAILING_BYTES, end, format_args!(""), message);
        }
        if let Some(first) = ints.first() {
            let message = format_args!("{} compact integers take more bytes than they need", ints.count());
            self.report.add(&codes::COMPACT_NOT_MINIMAL, first, format_args!(""), message);
        }
    }

    /// `offset` is the offset of the name's length.
    fn name(&mut self, name: Name<'_>, offset: u64, pointer: fmt::Arguments<'_>) {
        if name.raw().is_empty() {
            let message = format_args!("the name has a length of 0; writers count its NUL");
            self.report.add(&codes::NAME_WITHOUT_NUL, offset, pointer, message);
        } else if name.raw().len() > name.as_bytes().len() + 1 {
            let message = format_args!("there are bytes after the NUL of the name \"{name}\"");
            self.report.add(&codes::NAME_TRAILING_BYTES, offset, pointer, message);
        }
    }

    fn bounds(&mut self, volume: &BoundingVolume, offset: u64, pointer: fmt::Arguments<'_>) {
        if !volume.is_finite() {
            let message = format_args!("the bounding box or sphere has numbers that are not finite");
            self.report.add(&codes::BOUNDS_NOT_FINITE, offset, pointer, message);
        } else if !volume.is_empty() {
            let bounds = volume.bounds;
            if bounds.min.iter().zip(bounds.max).any(|(min, max)| *min > max) {
                let message = format_args!(
                    "the minimum {:?} of the box is greater than the maximum {:?}",
                    bounds.min, bounds.max
                );
                self.report.add(&codes::BOUNDS_INVERTED, offset, pointer, message);
            }
        }
    }
}
