//! Meshes: their place in the model, their vertices and their triangles.

use alloc::vec::Vec;

use meshlens_lens::Encoding;
use meshlens_lens::Lens;
use meshlens_wire::Severity::{Error, Info, Warning};

use super::Validator;
use crate::{Mesh, Normals};

/// How far a sum of weights may be outside 0 to 1 before it counts.
const WEIGHT_SLACK: f32 = 1e-3;

impl<'a> Validator<'_, 'a> {
    pub(super) fn meshes(&mut self) {
        let u3d = self.u3d;
        // The largest vertex number of each mesh's own triangles, for those that borrow them: many may.
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
    }

    fn place(&mut self, mesh: &Mesh<'_, 'a>) {
        let (index, offset, header) = (mesh.index(), mesh.offset(), *self.u3d.header());
        let is_v1 = self.u3d.version().is_v1();
        let pointer = format_args!("/meshes/{index}");
        self.name(mesh.name(), mesh.parts().name.offset, pointer);
        match mesh.lod() {
            Some(lod) if lod < header.lods => {}
            Some(lod) => {
                let message = format_args!("level of detail {lod} of {}", header.lods);
                self.add(Error, "LOD_OUT_OF_RANGE", offset, pointer, message);
            }
            None => {
                let message = format_args!("the header has no level of detail of {}", mesh.level_of_detail());
                self.add(Warning, "LOD_UNKNOWN", offset, pointer, message);
            }
        }
        if mesh.frame() >= header.frames {
            let message = format_args!("frame {} of {}", mesh.frame(), header.frames);
            self.add(Error, "FRAME_OUT_OF_RANGE", offset, pointer, message);
        }
        if mesh.frame() > 0 && header.bones > 0 {
            let message = format_args!("frame {} in a model that bones move", mesh.frame());
            self.add(Error, "FRAME_WITH_BONES", offset, pointer, message);
        }
        if mesh.mesh_in_frame() >= header.meshes_per_frame {
            let message =
                format_args!("mesh {} of {} in a frame", mesh.mesh_in_frame(), header.meshes_per_frame);
            self.add(Error, "MESH_OUT_OF_RANGE", offset, pointer, message);
        }
        if mesh.vertex_count() == 0 || mesh.triangle_count() == 0 {
            let (vertices, triangles) = (mesh.vertex_count(), mesh.triangle_count());
            let message = format_args!("{vertices} vertices and {triangles} triangles");
            let severity = if is_v1 { Warning } else { Error };
            self.add(severity, "MESH_EMPTY", offset, pointer, message);
        }
        let scalar = mesh.normal_scalar();
        if !scalar.is_finite() {
            let message = format_args!("the factor of the normals is not a finite number");
            self.add(Error, "NORMAL_SCALAR_NOT_FINITE", offset, pointer, message);
        } else if scalar.abs() != 1.0 {
            let message = format_args!("the factor of the normals is {scalar}, neither 1 nor -1");
            self.add(Info, "NORMAL_SCALAR", offset, pointer, message);
        }
        self.tangents(mesh);
        let parts = mesh.parts();
        // ValidMeshToTangentSpaceMatrices stands before nVertex, and in version 1.0 before more than that.
        let name_end = parts.name.offset.saturating_add(parts.name.len.into()).saturating_add(1);
        let tangents = name_end.saturating_add(if is_v1 { 10 } else { 4 });
        self.boolean(tangents, format_args!("/meshes/{index}/has_tangents"));
        let owned = parts.triangle_count_offset.saturating_add(if is_v1 { 2 } else { 4 });
        self.boolean(owned, format_args!("/meshes/{index}/triangles_owned"));
    }

    fn tangents(&mut self, mesh: &Mesh<'_, '_>) {
        let dimensions = mesh.texcoord_dimensions();
        let mut sets = dimensions.iter().rev().filter(|dimension| **dimension > 0);
        let (last, before) = (sets.next(), sets.next());
        if mesh.has_tangents() && !(last == Some(&3) && matches!(before, Some(3 | 4))) {
            let message = format_args!("texture coordinates of {dimensions:?} floats hold no tangent space");
            let pointer = format_args!("/meshes/{}/has_tangents", mesh.index());
            self.add(Error, "TANGENT_SETS", mesh.offset(), pointer, message);
        }
    }

    fn vertices(&mut self, mesh: &Mesh<'_, 'a>) {
        let index = mesh.index();
        self.finite(mesh.positions(), "POSITION_NOT_FINITE", format_args!("/meshes/{index}/positions"));
        if mesh.owns_texcoords() {
            for set in 0..mesh.texcoord_dimensions().len() {
                let Some(floats) = mesh.texcoords(set) else { continue };
                if let Some(at) = floats.values().position(|value| !value.is_finite()) {
                    let vertex = at.checked_div(floats.components()).unwrap_or_default();
                    let offset = floats.byte_range().start.saturating_add((at as u64).saturating_mul(4));
                    let message = format_args!("a texture coordinate is not a finite number");
                    let pointer = format_args!("/meshes/{index}/texcoords/{set}/{vertex}");
                    self.add(Error, "TEXCOORD_NOT_FINITE", offset, pointer, message);
                }
            }
        }
        if mesh.has_legacy_normals() {
            let message = format_args!("normals of two bytes, as before version 2.0 was final");
            let offset = mesh.parts().normals().offset();
            self.add(Info, "NORMALS_LEGACY", offset, format_args!("/meshes/{index}/normals"), message);
        }
        let normals = mesh.normals();
        let is_odd = |[latitude, longitude]: [i16; 2]| match normals {
            Normals::Bytes(_) if mesh.has_legacy_normals() => latitude == -128 || longitude == -128,
            Normals::Bytes(_) => latitude.abs() > 31 || longitude == -128,
            Normals::Shorts(_) => latitude == i16::MIN || longitude == i16::MIN,
        };
        let mut odd = (0..normals.len()).filter(|vertex| normals.code(*vertex).is_some_and(is_odd));
        if let Some(first) = odd.next() {
            let count = odd.count().saturating_add(1);
            let span = mesh.parts().normals();
            let offset = span.offset().saturating_add((first as u64).saturating_mul(span.stride().into()));
            let message = format_args!("{count} normals have angles that no writer gives them");
            self.add(Info, "NORMAL_CODE", offset, format_args!("/meshes/{index}/normals/{first}"), message);
        }
    }

    /// The first element with a NaN or an infinity.
    pub(super) fn finite<E, const N: usize>(
        &mut self,
        lens: Lens<'a, E>,
        code: &'static str,
        pointer: core::fmt::Arguments<'_>,
    ) where
        E: Encoding<Value = [f32; N]>,
    {
        if let Some(first) = lens.iter().position(|value| !value.iter().all(|value| value.is_finite())) {
            let skip = (first as u64).saturating_mul(lens.stride() as u64);
            let offset = lens.byte_range().start.saturating_add(skip);
            let message = format_args!("element {first} is not made of finite numbers");
            self.add(Error, code, offset, format_args!("{pointer}/{first}"), message);
        }
    }

    fn skin(&mut self, mesh: &Mesh<'_, 'a>) {
        let (index, weights) = (mesh.index(), mesh.skin_weight_count());
        let is_v1 = self.u3d.version().is_v1();
        if weights == 2 && is_v1 {
            let message = format_args!("two skin weights besides the implied one; engines take 0, 1 or 3");
            self.add(Warning, "SKIN_WEIGHT_COUNT", mesh.offset(), format_args!("/meshes/{index}"), message);
        }
        let (bones, used) = (self.u3d.header().bones, weights.saturating_add(1));
        let span = mesh.parts().skin_bones();
        let at = |vertex: u64| span.offset().saturating_add(vertex.saturating_mul(4));
        let mut largest = None;
        for (vertex, indices) in (0u64..).zip(mesh.skin_bones()) {
            let greatest = indices.into_iter().take(used).max();
            largest = largest.max(greatest);
            if let Some(bone) = greatest.filter(|bone| u32::from(*bone) >= bones) {
                let message = format_args!("bone {bone} of {bones}");
                let pointer = format_args!("/meshes/{index}/skin_bones/{vertex}");
                self.add(Error, "BONE_OUT_OF_RANGE", at(vertex), pointer, message);
            }
        }
        if let Some(largest) = largest
            && is_v1
            && largest != mesh.max_bone()
        {
            let message =
                format_args!("iMaxBlendingMatrix is {}, the greatest bone {largest}", mesh.max_bone());
            self.add(Warning, "MAX_BONE", mesh.offset(), format_args!("/meshes/{index}"), message);
        }
        let Some(floats) = mesh.skin_weights() else { return };
        let is_sound = |weight: &f32| *weight >= -WEIGHT_SLACK && *weight <= 1.0 + WEIGHT_SLACK;
        for vertex in 0..floats.len() {
            let Some(weights) = mesh.weights(vertex) else { break };
            if !weights.iter().all(is_sound) {
                let skip = (vertex as u64).saturating_mul(mesh.parts().skin_weights().stride().into());
                let offset = floats.byte_range().start.saturating_add(skip);
                let message = format_args!("weights {weights:?} are not between 0 and 1");
                let pointer = format_args!("/meshes/{index}/skin_weights/{vertex}");
                self.add(Warning, "WEIGHT_RANGE", offset, pointer, message);
            }
        }
    }

    /// Looks at the mesh's own triangles; gives their greatest vertex number.
    fn triangles(&mut self, mesh: &Mesh<'_, 'a>) -> u32 {
        let (index, vertices, materials) = (mesh.index(), mesh.parts().vertices, self.u3d.header().materials);
        if let Some(shadow) = mesh.shadow()
            && let Some((triangle, corner)) =
                shadow.triangles().first_past(u32::try_from(shadow.vertex_count()).unwrap_or(u32::MAX))
        {
            let message = format_args!("vertex {corner} of {}", shadow.vertex_count());
            let pointer = format_args!("/meshes/{index}/shadow/triangles/{triangle}");
            let offset = shadow.triangles().byte_range().start;
            self.add(Error, "SHADOW_INDEX_OUT_OF_RANGE", offset, pointer, message);
        }
        let Some(triangles) = mesh.triangles() else { return 0 };
        let mut largest = 0;
        let span = mesh.parts().triangles();
        for (number, corners) in (0u64..).zip(triangles.iter()) {
            let [a, b, c] = corners;
            let greatest = a.max(b).max(c);
            largest = largest.max(greatest);
            let offset = span.offset().saturating_add(number.saturating_mul(span.stride().into()));
            let pointer = format_args!("/meshes/{index}/triangles/{number}");
            if greatest >= vertices {
                let message = format_args!("vertex {greatest} of {vertices}");
                self.add(Error, "INDEX_OUT_OF_RANGE", offset, pointer, message);
            } else if a == b || b == c || c == a {
                let message = format_args!("the corners {a}, {b}, {c} span no area");
                self.add(Info, "TRIANGLE_DEGENERATE", offset, pointer, message);
            }
        }
        let span = mesh.parts().triangle_materials();
        for (number, material) in (0u64..).zip(mesh.triangle_materials()) {
            if u32::from(material) >= materials {
                let offset = span.offset().saturating_add(number.saturating_mul(2));
                let message = format_args!("material {material} of {materials}");
                let pointer = format_args!("/meshes/{index}/triangle_materials/{number}");
                self.add(Error, "MATERIAL_OUT_OF_RANGE", offset, pointer, message);
            }
        }
        largest
    }

    fn borrowed(&mut self, mesh: &Mesh<'_, 'a>, largest: &[u32]) {
        let (index, parts) = (mesh.index(), mesh.parts());
        if !mesh.owns_texcoords() {
            let pointer = format_args!("/meshes/{index}/texcoords");
            let offset = parts.texcoords.saturating_sub(1);
            if !mesh.uses_texcoord_buffer() {
                let message = format_args!("no texture coordinates, and no buffer to take them from");
                self.add(Error, "TEXCOORDS_WITHOUT_BUFFER", offset, pointer, message);
            }
            if mesh.texcoord_owner().is_none() {
                let message = format_args!("no mesh of frame 0 has texture coordinates that fit");
                self.add(Error, "TEXCOORDS_NOT_BORROWED", offset, pointer, message);
            }
        }
        if mesh.owns_triangles() {
            return;
        }
        let pointer = format_args!("/meshes/{index}/triangles");
        let offset = parts.triangle_count_offset;
        if self.u3d.header().bones > 0 {
            let message = format_args!("triangles are borrowed in a model that bones move");
            self.add(Warning, "BORROWED_WITH_BONES", offset, pointer, message);
        }
        let Some(owner) = mesh.triangle_owner() else {
            let message = format_args!("no mesh of frame 0 has triangles to borrow");
            self.add(Error, "TRIANGLES_NOT_BORROWED", offset, pointer, message);
            return;
        };
        if owner.triangle_count() != mesh.triangle_count() {
            let (own, found) = (mesh.triangle_count(), owner.triangle_count());
            let message = format_args!("{own} triangles, but mesh {} lends {found}", owner.index());
            self.add(Error, "TRIANGLES_BORROWED_COUNT", offset, pointer, message);
        }
        let greatest = largest.get(owner.index()).copied().unwrap_or_default();
        if owner.triangle_count() > 0 && greatest >= parts.vertices {
            let message =
                format_args!("vertex {greatest} of {}, borrowed from {}", parts.vertices, owner.index());
            self.add(Error, "INDEX_OUT_OF_RANGE", offset, pointer, message);
        }
    }

    /// Meshes of one place in different frames, which lie side by side in the order of places.
    fn places(&mut self) {
        let u3d = self.u3d;
        let meshes = || u3d.parts().by_key.iter().filter_map(|number| u3d.mesh(*number as usize));
        let place = |mesh: &Mesh<'_, '_>| (mesh.lod(), mesh.mesh_in_frame());
        let mut first = meshes().next();
        for (mesh, next) in meshes().zip(meshes().skip(1)) {
            if place(&mesh) != place(&next) {
                first = Some(next);
                continue;
            }
            let (index, offset) = (next.index(), next.offset());
            if mesh.frame() == next.frame() {
                let message = format_args!("mesh {} has the same place in the model", mesh.index());
                self.add(Error, "MESH_DUPLICATE", offset, format_args!("/meshes/{index}"), message);
            }
            let size = |mesh: &Mesh<'_, '_>| (mesh.vertex_count(), mesh.triangle_count());
            if let Some(first) = first
                && u3d.header().vertex_tweening
                && size(&first) != size(&next)
            {
                let message = format_args!(
                    "{:?} vertices and triangles, to be tweened with the {:?} of mesh {}",
                    size(&next),
                    size(&first),
                    first.index()
                );
                self.add(Error, "TWEENING_SIZE", offset, format_args!("/meshes/{index}"), message);
            }
        }
    }
}
