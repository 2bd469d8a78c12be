//! The bytes of a file as they are written, and what can be wrong with them.

use alloc::vec::Vec;

use meshlens_wire::{Error, ErrorKind, Expected, Place, Result};

use super::{Material, Mesh};
use crate::FORMAT;

/// An error of the writer; there is no file yet, so its offset is 0.
pub(super) fn error(kind: ErrorKind) -> Error {
    Error::new(FORMAT, 0, kind)
}

pub(super) fn to_i64(value: usize) -> i64 {
    i64::try_from(value).unwrap_or(i64::MAX)
}

pub(super) fn same(what: &'static str, expected: usize, found: usize) -> Result<()> {
    if expected == found {
        return Ok(());
    }
    let expected = Expected::Exactly(to_i64(expected));
    Err(error(ErrorKind::Value { what, expected, found: to_i64(found) }))
}

pub(super) fn check_corners(triangles: &[[u32; 3]], vertices: usize) -> Result<()> {
    match triangles.as_flattened().iter().find(|corner| **corner as usize >= vertices) {
        Some(corner) => {
            let count = vertices as u64;
            Err(error(ErrorKind::Index { what: "vertex", index: (*corner).into(), count }))
        }
        None => Ok(()),
    }
}

/// The file so far.
pub(super) struct Out(pub(super) Vec<u8>);

impl Out {
    pub(super) fn u8(&mut self, value: u8) {
        self.0.push(value);
    }

    pub(super) fn bool(&mut self, value: bool) {
        self.0.push(value.into());
    }

    pub(super) fn bytes(&mut self, bytes: &[u8]) {
        self.0.extend(bytes);
    }

    pub(super) fn u16(&mut self, value: usize, what: &'static str) -> Result<()> {
        let limit = u16::MAX.into();
        let value =
            u16::try_from(value).map_err(|_| error(ErrorKind::Limit { what, limit, found: value as u64 }))?;
        self.bytes(&value.to_le_bytes());
        Ok(())
    }

    pub(super) fn u32(&mut self, value: u32) {
        self.bytes(&value.to_le_bytes());
    }

    pub(super) fn count(&mut self, value: usize, what: &'static str) -> Result<()> {
        let limit = u32::MAX.into();
        let value =
            u32::try_from(value).map_err(|_| error(ErrorKind::Limit { what, limit, found: value as u64 }))?;
        self.u32(value);
        Ok(())
    }

    pub(super) fn f32(&mut self, value: f32) {
        self.bytes(&value.to_le_bytes());
    }

    pub(super) fn f32s(&mut self, values: &[f32]) {
        self.0.extend(values.iter().flat_map(|value| value.to_le_bytes()));
    }

    pub(super) fn u32s(&mut self, values: &[u32]) {
        self.0.extend(values.iter().flat_map(|value| value.to_le_bytes()));
    }

    pub(super) fn string(&mut self, text: &[u8], what: &'static str) -> Result<()> {
        if text.contains(&0) {
            let expected = Expected::Text("text without a NUL");
            return Err(error(ErrorKind::Value { what, expected, found: 0 }));
        }
        self.bytes(text);
        self.u8(0);
        Ok(())
    }

    pub(super) fn normals(&mut self, codes: &[[i16; 2]], is_bytes: bool) -> Result<()> {
        for code in codes.as_flattened() {
            match (is_bytes, i8::try_from(*code)) {
                (true, Ok(code)) => self.bytes(&code.to_le_bytes()),
                (false, _) => self.bytes(&code.to_le_bytes()),
                (true, Err(_)) => {
                    let expected = Expected::Text("a signed byte");
                    let kind =
                        ErrorKind::Value { what: "angle of a normal", expected, found: (*code).into() };
                    return Err(error(kind));
                }
            }
        }
        Ok(())
    }

    pub(super) fn triangles(&mut self, triangles: &[[u32; 3]], is_long: bool) {
        for corner in triangles.as_flattened() {
            // Corners of short triangles are below the 65536 vertices there are at most.
            let size = if is_long { 4 } else { 2 };
            self.bytes(corner.to_le_bytes().get(..size).unwrap_or_default());
        }
    }

    pub(super) fn skin(&mut self, mesh: &Mesh) {
        self.f32s(&mesh.skin_weights);
        self.bytes(mesh.skin_bones.as_flattened());
    }

    pub(super) fn colors(&mut self, material: &Material) {
        for color in [&material.ambient, &material.diffuse, &material.specular, &material.emissive] {
            self.f32s(color);
        }
        self.f32(material.specular_power);
    }
}

pub(super) fn at<T>(what: &'static str, index: usize) -> impl FnOnce(Result<T>) -> Result<T> {
    move |result| result.map_err(|error| error.at(Place::new(what, index as u64)))
}
