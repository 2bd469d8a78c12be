//! Meshes: triangles, materials, and the positions and normals of every frame.

use meshlens::codes;
use meshlens::model::{Semantic, Submesh};
use meshlens::scene::{Pose, ViewMesh};

use super::text::{Number, display_name};
use super::writer::Writer;
use crate::Error;
use crate::timeline::{Corners, Replaced, has_normals};

/// Bytes of a vertex and of a triangle while a mesh is written.
const VERTEX: usize = size_of::<([[f32; 3]; 4], [[f32; 2]; 3], [[f32; 4]; 6], [[u16; 4]; 2], [u32; 4])>();
const TRIANGLE: usize = size_of::<[[u32; 3]; 4]>();

impl Writer<'_, '_, '_> {
    pub(super) fn meshes(&mut self) -> Result<(), Error> {
        let view = self.view;
        for (node, index) in view.mesh_indices() {
            let Some(own) = view.model(node).and_then(|model| model.meshes.get(index)) else { continue };
            let count = own.point_count().saturating_add(own.corner_count());
            let bytes =
                count.saturating_mul(VERTEX).saturating_add(own.triangle_count().saturating_mul(TRIANGLE));
            let bytes = bytes.saturating_add(self.timeline.count.saturating_mul(size_of::<[[f32; 3]; 2]>()));
            let _memory = self.budget.reserve(bytes, format_args!("mesh {}", own.name))?;
            self.mesh(&view.mesh(node, index)?)?;
        }
        Ok(())
    }

    fn mesh(&mut self, mesh: &ViewMesh<'_, '_>) -> Result<(), Error> {
        let own = mesh.mesh();
        let place = format_args!("mesh {}", own.name);
        let materials = &mesh.model().materials;
        let material = |submesh: &Submesh| submesh.material.or(own.material);
        let is_drawn = |submesh: &&Submesh| {
            let material = material(submesh).and_then(|material| materials.get(material));
            !submesh.triangles.is_empty() && !material.is_some_and(|material| material.hidden)
        };
        let hidden = mesh
            .submeshes()
            .iter()
            .filter(|submesh| !is_drawn(submesh) && !submesh.triangles.is_empty())
            .count();
        let message = format_args!("mesh {}: its material is not drawn", own.name);
        self.losses.lose(&codes::SURFACE_HIDDEN, hidden as u64, place, message);
        let drawn: Vec<&Submesh> = mesh.submeshes().iter().filter(is_drawn).collect();
        if drawn.is_empty() || mesh.vertex_count() == 0 {
            let message = format_args!("mesh {}: no triangles", own.name);
            let count = u64::from(hidden == 0);
            self.losses.lose(&codes::MESH_WITHOUT_TRIANGLES, count, place, message);
            return Ok(());
        }
        let two_sided =
            drawn.iter().filter_map(|submesh| materials.get(material(submesh)?)).any(|found| found.two_sided);
        let is_skinned = self.skeleton.is_some() && own.skin.is_some();
        let name = self.names.add(&own.name);
        let mut schemas = vec!["\"MaterialBindingAPI\""];
        if is_skinned {
            schemas.push("\"SkelBindingAPI\"");
        }
        let mut metadata = vec![format!("prepend apiSchemas = [{}]", schemas.join(", "))];
        metadata.extend(display_name(&own.name, &name));
        self.text.prim(format_args!("def Mesh \"{name}\""), &metadata)?;
        self.text.line(format_args!("uniform token subdivisionScheme = \"none\""))?;
        self.text.line(format_args!("uniform token orientation = \"rightHanded\""))?;
        self.text.line(format_args!("uniform bool doubleSided = {}", u8::from(two_sided)))?;
        let triangles = || drawn.iter().flat_map(|submesh| mesh.submesh_triangles(submesh));
        self.text.array(format_args!("int[] faceVertexCounts = "), triangles().map(|_| 3usize), "")?;
        let indices = triangles().flatten().map(|index| index as usize);
        self.text.array(format_args!("int[] faceVertexIndices = "), indices, "")?;
        if is_skinned {
            self.skinned(mesh)?;
        } else {
            self.frames(mesh)?;
        }
        let Corners { texcoords, colors } = Corners::new(mesh, &mut self.losses)?;
        // The origin of USD is at the bottom.
        let flipped = texcoords.iter().map(|[u, v]| [*u, 1.0 - v]);
        const VERTEX: &str = " (interpolation = \"vertex\")";
        if !texcoords.is_empty() {
            self.text.array(format_args!("texCoord2f[] primvars:st = "), flipped, VERTEX)?;
        }
        if !colors.is_empty() {
            let rgb = colors.iter().map(|[red, green, blue, _]| [*red, *green, *blue]);
            self.text.array(format_args!("color3f[] primvars:displayColor = "), rgb, VERTEX)?;
            let alpha = colors.iter().map(|color| color[3]);
            self.text.array(format_args!("float[] primvars:displayOpacity = "), alpha, VERTEX)?;
        }
        self.bindings(mesh, &drawn, &material)?;
        self.text.close("}")?;
        Ok(())
    }

    /// The materials: of the mesh, or of ranges of its faces.
    fn bindings(
        &mut self,
        mesh: &ViewMesh<'_, '_>,
        drawn: &[&Submesh],
        material: &dyn Fn(&Submesh) -> Option<usize>,
    ) -> Result<(), Error> {
        let paths = self.material_paths.get(mesh.node()).map_or(&[][..], Vec::as_slice);
        let path = |submesh: &Submesh| paths.get(material(submesh)?);
        if let [only] = drawn {
            if let Some(path) = path(only) {
                self.text.line(format_args!("rel material:binding = <{path}>"))?;
            }
            return Ok(());
        }
        self.text.line(format_args!("uniform token subsetFamily:materialBind:familyType = \"partition\""))?;
        let mut first = 0;
        for (number, submesh) in drawn.iter().enumerate() {
            let metadata = ["prepend apiSchemas = [\"MaterialBindingAPI\"]".to_owned()];
            self.text.prim(format_args!("def GeomSubset \"part_{number}\""), &metadata)?;
            self.text.line(format_args!("uniform token elementType = \"face\""))?;
            self.text.line(format_args!("uniform token familyName = \"materialBind\""))?;
            let count = submesh.triangles.len();
            self.text.array(format_args!("int[] indices = "), first..first + count, "")?;
            first += count;
            if let Some(path) = path(submesh) {
                self.text.line(format_args!("rel material:binding = <{path}>"))?;
            }
            self.text.close("}")?;
        }
        Ok(())
    }

    /// The positions and normals of every frame, or of the only one.
    fn frames(&mut self, mesh: &ViewMesh<'_, '_>) -> Result<(), Error> {
        let (mut pose, mut values, mut replaced) = (Pose::default(), Vec::new(), Replaced::default());
        let rest = self.timeline.rest;
        self.timeline.pose_into(rest, &mut pose)?;
        replaced.read(Semantic::Position, mesh, &pose, &mut values)?;
        self.text.array(format_args!("float3[] extent = "), bounds(&values), "")?;
        self.text.array(format_args!("point3f[] points = "), values.iter().copied(), "")?;
        let moves = self.timeline.moves(mesh);
        if moves {
            let mut extents = Vec::with_capacity(self.timeline.count);
            self.text.open("point3f[] points.timeSamples = {")?;
            for frame in 0..self.timeline.count {
                self.timeline.pose_into(frame, &mut pose)?;
                replaced.read(Semantic::Position, mesh, &pose, &mut values)?;
                extents.push(bounds(&values));
                self.text.array(format_args!("{frame}: "), values.iter().copied(), ",")?;
            }
            self.text.close("}")?;
            self.text.open("float3[] extent.timeSamples = {")?;
            for (frame, extent) in extents.into_iter().enumerate() {
                self.text.array(format_args!("{frame}: "), extent, ",")?;
            }
            self.text.close("}")?;
        }
        if has_normals(mesh)? {
            self.timeline.pose_into(rest, &mut pose)?;
            replaced.read(Semantic::Normal, mesh, &pose, &mut values)?;
            let tail = " (interpolation = \"vertex\")";
            self.text.array(format_args!("normal3f[] normals = "), values.iter().copied(), tail)?;
            if moves {
                self.text.open("normal3f[] normals.timeSamples = {")?;
                for frame in 0..self.timeline.count {
                    self.timeline.pose_into(frame, &mut pose)?;
                    replaced.read(Semantic::Normal, mesh, &pose, &mut values)?;
                    self.text.array(format_args!("{frame}: "), values.iter().copied(), ",")?;
                }
                self.text.close("}")?;
            }
        }
        replaced.lose(&mut self.losses);
        Ok(())
    }

    /// Tags, as transforms that move.
    pub(super) fn tags(&mut self) -> Result<(), Error> {
        for (node, of) in self.scene.nodes.iter().enumerate() {
            for tag in &of.model.tags {
                let name = self.names.add(&tag.name);
                let metadata = display_name(&tag.name, &name);
                self.text.prim(format_args!("def Xform \"{name}\""), metadata.as_slice())?;
                let mut pose = Pose::default();
                self.timeline.pose_into(self.timeline.rest, &mut pose)?;
                let at = |pose: &Pose| {
                    rigid(self.view.socket(node, meshlens::scene::Socket::Tag(tag.index), pose))
                };
                self.text.line(format_args!("matrix4d xformOp:transform = {}", Number(at(&pose))))?;
                if self.timeline.count > 1 {
                    self.text.open("matrix4d xformOp:transform.timeSamples = {")?;
                    for frame in 0..self.timeline.count {
                        self.timeline.pose_into(frame, &mut pose)?;
                        self.text.line(format_args!("{frame}: {},", Number(at(&pose))))?;
                    }
                    self.text.close("}")?;
                }
                self.text.array(
                    format_args!("uniform token[] xformOpOrder = "),
                    ["xformOp:transform"],
                    "",
                )?;
                self.text.close("}")?;
            }
        }
        Ok(())
    }
}

/// The matrix of a tag without its scale; the identity if there is none.
fn rigid(matrix: Option<[[f32; 4]; 4]>) -> [[f32; 4]; 4] {
    let matrix = matrix.map(|matrix| glam::Mat4::from_cols_array_2d(&matrix)).filter(glam::Mat4::is_finite);
    let (_, rotation, origin) = matrix.unwrap_or_default().to_scale_rotation_translation();
    glam::Mat4::from_rotation_translation(rotation.normalize(), origin).to_cols_array_2d()
}

/// The least and the greatest position along each axis.
pub(super) fn bounds(values: &[[f32; 3]]) -> [[f32; 3]; 2] {
    meshlens::lens::Bounds::around(values.iter().copied())
        .map_or([[0.0; 3]; 2], |bounds| [bounds.min, bounds.max])
}
