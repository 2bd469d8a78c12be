//! The validator: everything a file may hold that some reader stumbles over, or that looks like a mistake.

mod animation;
mod skeleton;
mod surface;

use core::fmt;

use meshlens_wire::Severity::{Error, Hint, Info, Warning};
use meshlens_wire::{Name, Report, Severity};

use crate::reader::LongForms;
use crate::{Anim, BoundingVolume, Mesh};

/// Adds what there is to say about a mesh to `report`. O(file), and what its packed blocks unpack to.
pub fn validate_mesh(mesh: &Mesh<'_>, report: &mut Report) {
    let mut v = Validator { report };
    v.ends(mesh.end(), mesh.data().file_len(), mesh.parts().long_forms);
    v.bounds(&mesh.bounds(), mesh.bounds_offset(), format_args!("/bounds"));
    v.skeleton(mesh.skeleton());
    for animation in mesh.animations() {
        v.animation(&animation);
    }
    v.surfaces(mesh);
}

/// Adds what there is to say about an animation file to `report`. O(file).
pub fn validate_anim(anim: &Anim<'_>, report: &mut Report) {
    let mut v = Validator { report };
    v.ends(anim.end(), anim.data().file_len(), anim.parts().long_forms);
    if let Some((bounds, offset)) = anim.bounds().zip(anim.bounds_offset()) {
        v.bounds(&bounds, offset, format_args!("/bounds"));
    }
    v.skeleton(anim.skeleton());
    if anim.animation_count() == 0 {
        let message = format_args!("there is no animation");
        v.add(Info, "NO_ANIMATIONS", anim.end(), format_args!("/animations"), message);
    }
    for animation in anim.animations() {
        v.animation(&animation);
    }
}

/// Where the findings go; the modules beside this one add what they find of their part.
struct Validator<'v> {
    report: &'v mut Report,
}

impl Validator<'_> {
    fn add(
        &mut self,
        severity: Severity,
        code: &'static str,
        offset: u64,
        pointer: fmt::Arguments<'_>,
        message: fmt::Arguments<'_>,
    ) {
        self.report.add(severity, code, offset, pointer, message);
    }

    fn ends(&mut self, end: u64, file_len: u64, long_forms: LongForms) {
        if file_len > end {
            let extra = file_len.saturating_sub(end);
            let message = format_args!("{extra} bytes follow the last magic");
            self.add(Info, "TRAILING_BYTES", end, format_args!(""), message);
        }
        if long_forms.count > 0 {
            let message =
                format_args!("{} compact integers take more bytes than they need", long_forms.count);
            self.add(Info, "COMPACT_NOT_MINIMAL", long_forms.first, format_args!(""), message);
        }
    }

    /// `offset` is that of the name's length.
    fn name(&mut self, name: Name<'_>, offset: u64, pointer: fmt::Arguments<'_>) {
        if name.raw().is_empty() {
            let message = format_args!("the name has a length of 0; writers count its NUL");
            self.add(Hint, "NAME_WITHOUT_NUL", offset, pointer, message);
        } else if name.raw().len() > name.as_bytes().len().saturating_add(1) {
            let message = format_args!("there are bytes behind the NUL of the name \"{name}\"");
            self.add(Hint, "NAME_TRAILING_BYTES", offset, pointer, message);
        }
    }

    fn bounds(&mut self, volume: &BoundingVolume, offset: u64, pointer: fmt::Arguments<'_>) {
        if !volume.is_finite() {
            let message = format_args!("the bounding box or sphere has numbers that are not finite");
            self.add(Error, "BOUNDS_NOT_FINITE", offset, pointer, message);
        } else if !volume.is_empty() {
            let bounds = volume.bounds;
            if bounds.min.iter().zip(bounds.max).any(|(min, max)| *min > max) {
                let message = format_args!(
                    "the box' least corner {:?} lies beyond the greatest {:?}",
                    bounds.min, bounds.max
                );
                self.add(Warning, "BOUNDS_INVERTED", offset, pointer, message);
            }
        }
    }
}
