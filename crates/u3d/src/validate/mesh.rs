//! Meshes: their place in the model, their vertices and their triangles.

use alloc::vec::Vec;

use meshlens_lens::Encoding;
use meshlens_lens::Lens;
use meshlens_wire::{Code, ErrorKind, OutOfRange, report_unused};

use super::Validator;
use crate::Mesh;
use crate::codes;
use crate::parts::{MeshParts, NormalEncoding};

/// How much a weight may be outside 0 to 1.
const WEIGHT_SLACK: f32 = 1e-3;

impl<'a> Validator<'_, 'a> {
    pub(super) fn meshes(&mut self) {
        let u3d = self.u3d;
        // The largest index of each mesh's own triangles, kept because many meshes may borrow them.
        let mut largest: Vec<u32> = alloc::vec![0; u3d.mesh_count()];
        for mesh in u3d.meshes() {
            self.place(&mesh);
            self.vertices(&mesh);
            self.skin(&mesh);
            let own = self.triangles(&mesh);
            if let Some(slot) = largest.get_mut(mesh.index()) {
                *slot = own;
            }
        }
        for mesh in u3d.meshes() {
            self.borrowed(&mesh, &largest);
        }
        self.places();
        if u3d.header().frames <= 1 && u3d.meshes().all(|mesh| mesh.owns_triangles() && mesh.owns_texcoords())
        {
            for mesh in u3d.meshes() {
                let corners = mesh.triangles().into_iter().flat_map(|triangles| triangles.iter().flatten());
                let pointer = format_args!("/meshes/{}/vertices", mesh.index());
                report_unused(mesh.vertex_count(), corners, mesh.offset(), pointer, self.report);
            }
        }
    }

    fn place(&mut self, mesh: &Mesh<'_, 'a>) {
        let (index, offset, header) = (mesh.index(), mesh.offset(), *self.u3d.header());
        let is_v1 = self.u3d.version().is_v1();
        let pointer = format_args!("/meshes/{index}");
        self.name(mesh.name(), mesh.parts().name.offset(), pointer);
        match mesh.lod_index() {
            Some(lod) if lod < header.lods => {}
            Some(lod) => {
                let message = format_args!("{}", OutOfRange::new("level of detail", lod, header.lods));
                self.report.add(&codes::LOD_OUT_OF_RANGE, offset, pointer, message);
            }
            None => {
                let message = format_args!("the header has no level of detail of {}", mesh.lod_fraction());
                self.report.add(&codes::LOD_UNKNOWN, offset, pointer, message);
            }
        }
        if mesh.frame() >= header.frames {
            let message = format_args!("{}", OutOfRange::new("frame", mesh.frame(), header.frames));
            self.report.add(&codes::FRAME_OUT_OF_RANGE, offset, pointer, message);
        }
        if mesh.frame() > 0 && header.bones > 0 {
            let message = format_args!("frame {} in a model that bones move", mesh.frame());
            self.report.add(&codes::FRAME_WITH_BONES, offset, pointer, message);
        }
        if mesh.mesh_in_frame() >= header.meshes_per_frame {
            let message = format_args!(
                "{}",
                OutOfRange::new("mesh in a frame", mesh.mesh_in_frame(), header.meshes_per_frame)
            );
            self.report.add(&codes::MESH_OUT_OF_RANGE, offset, pointer, message);
        }
        if mesh.vertex_count() == 0 || mesh.triangle_count() == 0 {
            let (vertices, triangles) = (mesh.vertex_count(), mesh.triangle_count());
            let message = format_args!("{vertices} vertices and {triangles} triangles");
            self.report.add(&codes::MESH_EMPTY, offset, pointer, message);
        }
        let scalar = mesh.normal_scalar();
        if !scalar.is_finite() {
            let message = format_args!("the factor of the normals is not finite");
            self.report.add(&codes::NORMAL_SCALAR_NOT_FINITE, offset, pointer, message);
        } else if scalar.abs() != 1.0 {
            let message = format_args!("the factor of the normals is {scalar}, neither 1 nor -1");
            self.report.add(&codes::NORMAL_SCALAR, offset, pointer, message);
        }
        self.tangents(mesh);
        let parts = mesh.parts();
        // After the name and its NUL come NormalScalar, and in version 1.0 Frame and LOD before it.
        let tangents = parts.name.byte_range().end + 1 + if is_v1 { 10 } else { 4 };
        self.boolean(tangents, format_args!("/meshes/{index}/has_tangents"));
        let owned = parts.triangle_count_offset + if is_v1 { 2 } else { 4 };
        self.boolean(owned, format_args!("/meshes/{index}/triangles_owned"));
    }

    fn tangents(&mut self, mesh: &Mesh<'_, '_>) {
        let dimensions = mesh.texcoord_dimensions();
        if mesh.has_tangents() && mesh.tangent_sets().is_none() {
            let message =
                format_args!("texture coordinates of {dimensions:?} floats cannot hold a tangent space");
            let pointer = format_args!("/meshes/{}/has_tangents", mesh.index());
            self.report.add(&codes::TANGENT_SETS, mesh.offset(), pointer, message);
        }
    }

    fn vertices(&mut self, mesh: &Mesh<'_, 'a>) {
        let index = mesh.index();
        self.finite(mesh.positions(), &codes::POSITION_NOT_FINITE, format_args!("/meshes/{index}/positions"));
        if mesh.owns_texcoords() {
            for set in 0..mesh.texcoord_dimensions().len() {
                let Some(floats) = mesh.texcoords(set) else { continue };
                let find = |vertex| {
                    let axis = floats.get_floats(vertex)?.iter().position(|value| !value.is_finite())?;
                    Some((vertex, axis))
                };
                if let Some((vertex, axis)) = (0..floats.len()).find_map(find) {
                    let offset = floats.offset_of(vertex) + axis as u64 * 4;
                    let message = format_args!("a texture coordinate is not finite");
                    let pointer = format_args!("/meshes/{index}/texcoords/{set}/{vertex}");
                    self.report.add(&codes::TEXCOORD_NOT_FINITE, offset, pointer, message);
                }
            }
        }
        if mesh.has_legacy_normals() {
            let message = format_args!("normals of two bytes, as in an earlier text of version 2.0");
            let offset = mesh.parts().normals().offset();
            self.report.add(&codes::NORMALS_LEGACY, offset, format_args!("/meshes/{index}/normals"), message);
        }
        let codes = mesh.normal_codes();
        let is_odd = |[latitude, longitude]: [i16; 2]| match mesh.parts().normals {
            NormalEncoding::LegacyBytes => latitude == -128 || longitude == -128,
            NormalEncoding::Bytes => latitude.abs() > 31 || longitude == -128,
            NormalEncoding::Shorts => latitude == i16::MIN || longitude == i16::MIN,
        };
        let odd = codes.enumerate().filter(|(_, code)| is_odd(*code));
        let mut odd = odd.map(|(vertex, _)| vertex);
        if let Some(first) = odd.next() {
            let count = odd.count() + 1;
            let span = mesh.parts().normals();
            let offset = span.offset() + first as u64 * u64::from(span.stride());
            let message = format_args!("{count} normals have angles that no encoder writes");
            let pointer = format_args!("/meshes/{index}/normals/{first}");
            self.report.add_several(&codes::NORMAL_CODE, count as u64, offset, pointer, message);
        }
    }

    /// The first element with a NaN or an infinity.
    pub(super) fn finite<E, const N: usize>(
        &mut self,
        lens: Lens<'a, E>,
        code: &'static Code,
        pointer: core::fmt::Arguments<'_>,
    ) where
        E: Encoding<Value = [f32; N]>,
    {
        if let Some(first) = lens.iter().position(|value| !value.iter().all(|value| value.is_finite())) {
            let offset = lens.byte_range().start + first as u64 * lens.stride() as u64;
            let message = format_args!("element {first} is not finite");
            self.report.add(code, offset, format_args!("{pointer}/{first}"), message);
        }
    }

    fn skin(&mut self, mesh: &Mesh<'_, 'a>) {
        let (index, weights) = (mesh.index(), mesh.skin_weight_count());
        let is_v1 = self.u3d.version().is_v1();
        let pointer = format_args!("/meshes/{index}");
        if weights == 2 && is_v1 {
            let message = format_args!("two stored skin weights; engines read 0, 1 or 3");
            self.report.add(&codes::SKIN_WEIGHT_COUNT, mesh.offset(), pointer, message);
        }
        let (bones, used) = (self.u3d.header().bones, weights + 1);
        let lens = mesh.skin_bones();
        let at = |vertex: u64| lens.byte_range().start + vertex * lens.stride() as u64;
        let mut largest = None;
        for (vertex, indices) in (0u64..).zip(lens) {
            let largest_index = indices.into_iter().take(used).max();
            largest = largest.max(largest_index);
            if let Some(bone) = largest_index.filter(|bone| u32::from(*bone) >= bones) {
                let message = format_args!("{}", OutOfRange::new("bone", bone, bones));
                let pointer = format_args!("/meshes/{index}/skin_bones/{vertex}");
                self.report.add(&codes::BONE_OUT_OF_RANGE, at(vertex), pointer, message);
            }
        }
        if let Some(largest) = largest
            && is_v1
            && largest != mesh.max_bone()
        {
            let message =
                format_args!("iMaxBlendingMatrix is {}, the largest bone index {largest}", mesh.max_bone());
            self.report.add(&codes::MAX_BONE, mesh.offset(), pointer, message);
        }
        let Some(floats) = mesh.skin_weights() else { return };
        let is_sound = |weight: &f32| *weight >= -WEIGHT_SLACK && *weight <= 1.0 + WEIGHT_SLACK;
        for vertex in 0..floats.len() {
            let Some(weights) = mesh.weights(vertex) else { break };
            if !weights.iter().all(is_sound) {
                let offset = floats.offset_of(vertex);
                let message = format_args!("weights {weights:?} are not between 0 and 1");
                let pointer = format_args!("/meshes/{index}/skin_weights/{vertex}");
                self.report.add(&codes::WEIGHT_RANGE, offset, pointer, message);
            }
        }
    }

    /// Checks the mesh's own triangles, and returns their largest index.
    fn triangles(&mut self, mesh: &Mesh<'_, 'a>) -> u32 {
        let (index, vertices, materials) = (mesh.index(), mesh.parts().vertices, self.u3d.header().materials);
        if let Some(shadow) = mesh.shadow()
            && let triangles = shadow.triangles()
            && let Err(error) = triangles.as_any().check_below(shadow.vertex_count(), "vertex")
            && let ErrorKind::Index { index: corner, .. } = *error.kind()
        {
            let offset = triangles.byte_range().start;
            let triangle = (error.offset() - offset) / triangles.stride() as u64;
            let message = format_args!("{}", OutOfRange::new("vertex", corner, shadow.vertex_count()));
            let pointer = format_args!("/meshes/{index}/shadow/triangles/{triangle}");
            self.report.add(&codes::SHADOW_INDEX_OUT_OF_RANGE, offset, pointer, message);
        }
        let Some(triangles) = mesh.triangles() else { return 0 };
        let mut largest = 0;
        for (number, corners) in triangles.iter().enumerate() {
            let [a, b, c] = corners;
            let largest_index = a.max(b).max(c);
            largest = largest.max(largest_index);
            let offset = triangles.as_any().offset_of(number);
            let pointer = format_args!("/meshes/{index}/triangles/{number}");
            if largest_index >= vertices {
                let message = format_args!("{}", OutOfRange::new("vertex", largest_index, vertices));
                self.report.add(&codes::INDEX_OUT_OF_RANGE, offset, pointer, message);
            } else if a == b || b == c || c == a {
                let message = format_args!("the triangle of vertices {a}, {b}, {c} has no area");
                self.report.add(&codes::TRIANGLE_DEGENERATE, offset, pointer, message);
            }
        }
        let own = mesh.triangle_materials();
        for (number, material) in (0u64..).zip(own) {
            if u32::from(material) >= materials {
                let offset = own.byte_range().start + number * own.stride() as u64;
                let message = format_args!("{}", OutOfRange::new("material", material, materials));
                let pointer = format_args!("/meshes/{index}/triangle_materials/{number}");
                self.report.add(&codes::MATERIAL_OUT_OF_RANGE, offset, pointer, message);
            }
        }
        largest
    }

    fn borrowed(&mut self, mesh: &Mesh<'_, 'a>, largest: &[u32]) {
        let (index, parts) = (mesh.index(), mesh.parts());
        if !mesh.owns_texcoords() {
            let pointer = format_args!("/meshes/{index}/texcoords");
            let offset = texcoord_owned_offset(parts);
            if !mesh.uses_texcoord_buffer() {
                let message =
                    format_args!("no texture coordinates of its own, and no buffer for borrowed ones");
                self.report.add(&codes::TEXCOORDS_WITHOUT_BUFFER, offset, pointer, message);
            }
            if mesh.texcoord_owner().is_none() {
                let message = format_args!("there is no mesh of frame 0 with matching texture coordinates");
                self.report.add(&codes::TEXCOORDS_NOT_BORROWED, offset, pointer, message);
            }
        }
        if mesh.owns_triangles() {
            return;
        }
        let pointer = format_args!("/meshes/{index}/triangles");
        let offset = parts.triangle_count_offset;
        if self.u3d.header().bones > 0 {
            let message = format_args!("triangles are borrowed in a model that bones move");
            self.report.add(&codes::BORROWED_WITH_BONES, offset, pointer, message);
        }
        let Some(owner) = mesh.triangle_owner() else {
            let message = format_args!("there is no mesh of frame 0 with triangles to borrow");
            self.report.add(&codes::TRIANGLES_NOT_BORROWED, offset, pointer, message);
            return;
        };
        if owner.triangle_count() != mesh.triangle_count() {
            let (own, found) = (mesh.triangle_count(), owner.triangle_count());
            let message =
                format_args!("{own} triangles, but mesh {} it borrows from has {found}", owner.index());
            self.report.add(&codes::TRIANGLES_BORROWED_COUNT, offset, pointer, message);
        }
        if owner.triangle_count() > 0
            && let Some(largest_index) =
                largest.get(owner.index()).filter(|largest| **largest >= parts.vertices)
        {
            let message = format_args!(
                "{}, borrowed from mesh {}",
                OutOfRange::new("vertex", *largest_index, parts.vertices),
                owner.index()
            );
            self.report.add(&codes::INDEX_OUT_OF_RANGE, offset, pointer, message);
        }
    }

    /// Checks meshes with the same place in different frames. They are adjacent in the order of places.
    fn places(&mut self) {
        let u3d = self.u3d;
        let meshes = || u3d.parts().by_place.iter().filter_map(|index| u3d.mesh(*index as usize));
        let place = |mesh: &Mesh<'_, '_>| (mesh.lod_index(), mesh.mesh_in_frame());
        let mut first = meshes().next();
        for (mesh, next) in meshes().zip(meshes().skip(1)) {
            if place(&mesh) != place(&next) {
                first = Some(next);
                continue;
            }
            let (index, offset) = (next.index(), next.offset());
            if mesh.frame() == next.frame() {
                let message =
                    format_args!("mesh {} has the same level of detail, frame and number", mesh.index());
                self.report.add(&codes::MESH_DUPLICATE, offset, format_args!("/meshes/{index}"), message);
            }
            let size = |mesh: &Mesh<'_, '_>| (mesh.vertex_count(), mesh.triangle_count());
            if let Some(first) = first
                && u3d.header().vertex_tweening
                && size(&first) != size(&next)
            {
                let message = format_args!(
                    "{:?} vertices and triangles, but {:?} in mesh {}, which it is blended with",
                    size(&next),
                    size(&first),
                    first.index()
                );
                self.report.add(&codes::TWEENING_SIZE, offset, format_args!("/meshes/{index}"), message);
            }
        }
    }
}

/// The absolute offset of TextureCoordinateOwned in a mesh of version 1.0 that borrows them: only the skin lies between
/// it and nTriangle.
fn texcoord_owned_offset(parts: &MeshParts) -> u64 {
    let skin = [parts.skin_weights(), parts.skin_bones()].map(|span| span.count() * u64::from(span.stride()));
    parts.triangle_count_offset - skin.iter().sum::<u64>() - 1
}
