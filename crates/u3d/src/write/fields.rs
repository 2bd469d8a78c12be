//! The fields that both versions write in the same way.

use meshlens_wire::{Error, Place, Result, Writer};

use super::{CHECKS, Material, Mesh};

pub(super) fn normals(out: &mut Writer, codes: &[[i16; 2]], is_bytes: bool) -> Result<()> {
    let codes = codes.as_flattened();
    if !is_bytes {
        out.i16s(codes);
        return Ok(());
    }
    for code in codes {
        let code = i8::try_from(*code).map_err(|_| {
            CHECKS.value("angle of a normal", "a signed byte", usize::from(code.unsigned_abs()))
        })?;
        out.i8(code);
    }
    Ok(())
}

pub(super) fn triangles(out: &mut Writer, triangles: &[[u32; 3]], is_long: bool) {
    let corners = triangles.as_flattened();
    if is_long {
        return out.u32s(corners);
    }
    for corner in corners {
        // Indices of short triangles are below 65536, which has been checked.
        out.u16(*corner as u16);
    }
}

pub(super) fn skin(out: &mut Writer, mesh: &Mesh) {
    out.f32s(&mesh.skin_weights);
    out.bytes(mesh.skin_bones.as_flattened());
}

pub(super) fn colors(out: &mut Writer, material: &Material) {
    for color in [&material.ambient, &material.diffuse, &material.specular, &material.emissive] {
        out.f32s(color);
    }
    out.f32(material.specular_power);
}

/// Adds to an error the part of the model in which it occurred.
pub(super) fn at(what: &'static str, index: usize) -> impl FnOnce(Error) -> Error {
    move |error| error.at(Place::new(what, index as u64))
}
