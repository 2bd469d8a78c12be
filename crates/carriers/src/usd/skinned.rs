//! Skeletons, their animation, and the meshes that they move, as UsdSkel.

use meshlens::model::{Conversion, Space, Transform, decode_gathered};
use meshlens::scene::ViewMesh;

use super::mesh::bounds;
use super::skeleton::Skeleton;
use super::text::Number;
use super::writer::Writer;
use crate::Error;
use crate::timeline::Replaced;

impl Writer<'_, '_, '_> {
    fn conversion(&self) -> Conversion {
        let space = self.scene.nodes.first().map_or(Space::GLTF, |node| node.model.space);
        space.to(&Space::GLTF).scaled(self.scale)
    }

    /// Writes the skeleton and its animation, if there is one.
    pub(super) fn skeleton(&mut self) -> Result<(), Error> {
        let (Some(mut skeleton), Some(node)) = (self.skeleton.take(), self.scene.nodes.first()) else {
            return Ok(());
        };
        let (conversion, model) = (self.conversion(), &node.model);
        let name = self.names.add("Skeleton");
        skeleton.path = format!("/{}/{name}", self.root);
        let moves = self.timeline.count > 1;
        let metadata = ["prepend apiSchemas = [\"SkelBindingAPI\"]".to_owned()];
        self.text.prim(format_args!("def Skeleton \"{name}\""), &metadata)?;
        let joints = || skeleton.paths.iter().map(String::as_str);
        self.text.array(format_args!("uniform token[] joints = "), joints(), "")?;
        let names = skeleton.order.iter().filter_map(|joint| Some(&*model.joints.get(*joint)?.name));
        self.text.array(format_args!("uniform token[] jointNames = "), names, "")?;
        let binds = skeleton.order.iter().map(|joint| conversion.matrix(skeleton.binds[*joint]));
        self.text.array(format_args!("uniform matrix4d[] bindTransforms = "), binds, "")?;
        let rest: Vec<Transform> =
            model.joints.iter().map(|joint| conversion.transform(&joint.rest)).collect();
        let of_rest = skeleton.order.iter().map(|joint| rest[*joint].to_matrix());
        self.text.array(format_args!("uniform matrix4d[] restTransforms = "), of_rest, "")?;
        if moves {
            self.text.line(format_args!("rel skel:animationSource = <{}/Animation>", skeleton.path))?;
            self.text.prim(format_args!("def SkelAnimation \"Animation\""), &[])?;
            self.text.array(format_args!("uniform token[] joints = "), joints(), "")?;
            let mut pose = Vec::new();
            for kind in ["float3[] translations", "quatf[] rotations", "half3[] scales"] {
                self.text.open(&format!("{kind}.timeSamples = {{"))?;
                for frame in 0..self.timeline.count {
                    self.timeline.joints_into(frame, &mut pose);
                    let transforms = skeleton
                        .order
                        .iter()
                        .map(|joint| conversion.transform(pose.get(*joint).unwrap_or(&Transform::IDENTITY)));
                    let head = format_args!("{frame}: ");
                    match kind {
                        "float3[] translations" => {
                            self.text.array(head, transforms.map(|own| own.translation), ",")?
                        }
                        "quatf[] rotations" => {
                            let rotations =
                                transforms.map(|Transform { rotation: [x, y, z, w], .. }| [w, x, y, z]);
                            self.text.array(head, rotations, ",")?;
                        }
                        _ => self.text.array(head, transforms.map(|own| own.scale), ",")?,
                    }
                }
                self.text.close("}")?;
            }
            self.text.close("}")?;
        }
        self.text.close("}")?;
        self.skeleton = Some(skeleton);
        Ok(())
    }

    /// The vertices of a mesh in its bind pose, and the joints that move them.
    pub(super) fn skinned(&mut self, mesh: &ViewMesh<'_, '_>) -> Result<(), Error> {
        let (own, topology) = (mesh.mesh(), mesh.topology());
        let placement = mesh.model().placement_in(&Space::GLTF).scaled(self.scale);
        let (mut scratch, mut values, mut replaced) = (Vec::new(), Vec::new(), Replaced::default());
        decode_gathered(own.positions(0)?, topology.points(), &mut scratch, &mut values)?;
        values.iter_mut().for_each(|value| *value = placement.position(*value));
        replaced.finite(&mut values);
        self.text.array(format_args!("float3[] extent = "), bounds(&values), "")?;
        self.text.array(format_args!("point3f[] points = "), values.iter().copied(), "")?;
        if own.normals_into(0, &mut scratch)? {
            let count = mesh.vertex_count();
            let all = (0..count).map(|vertex| topology.corners().map_or(vertex, |map| map[vertex] as usize));
            let mut normals: Vec<[f32; 3]> = all
                .map(|corner| placement.normal(scratch.get(corner).copied().unwrap_or_default()))
                .collect();
            replaced.unit(&mut normals);
            let tail = " (interpolation = \"vertex\")";
            self.text.array(format_args!("normal3f[] normals = "), normals, tail)?;
        }
        replaced.lose(&mut self.losses);
        let (mut joints, mut weights) = (Vec::new(), Vec::new());
        own.influences_into(&mut joints, &mut weights)?;
        let Some(Skeleton { places, path, .. }) = &self.skeleton else { return Ok(()) };
        let points = (0..mesh.vertex_count())
            .map(|vertex| topology.points().map_or(vertex, |map| map[vertex] as usize));
        let tail = " (elementSize = 4; interpolation = \"vertex\")";
        let of_points = points.clone().flat_map(|point| joints.get(point).copied().unwrap_or_default());
        let placed = of_points.map(|joint| places.get(usize::from(joint)).copied().unwrap_or_default());
        self.text.array(format_args!("int[] primvars:skel:jointIndices = "), placed, tail)?;
        let of_points = points.flat_map(|point| weights.get(point).copied().unwrap_or_default());
        self.text.array(format_args!("float[] primvars:skel:jointWeights = "), of_points, tail)?;
        let identity = glam::Mat4::IDENTITY.to_cols_array_2d();
        self.text.line(format_args!("matrix4d primvars:skel:geomBindTransform = {}", Number(identity)))?;
        self.text.line(format_args!("rel skel:skeleton = <{path}>"))?;
        Ok(())
    }
}
