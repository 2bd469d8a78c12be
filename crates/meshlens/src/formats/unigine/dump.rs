//! Dumps UNIGINE with the names of its documents: inherited components of animations filled in, tangent frames as
//! quaternions.

use alloc::vec::Vec;

use meshlens_unigine::{
    Anim, Animation, BoundingVolume, Geometry, Mesh, Skeleton, Surface, Target, Transform,
};
use serde::ser::{Error, SerializeMap, SerializeSeq};
use serde::{Serialize, Serializer};

use crate::dump::array::{Array, Arrays};
use crate::dump::{Sequence, Serializable};

impl<'a> Serializable<'a> for Mesh<'a> {
    fn serialize<S: Serializer>(&self, arrays: Arrays, serializer: S) -> Result<S::Ok, S::Error> {
        let mesh = self;
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("format", meshlens_unigine::FORMAT)?;
        map.serialize_entry("version", mesh.version().as_str())?;
        map.serialize_entry("bounds", &BoundsDump(mesh.bounds()))?;
        map.serialize_entry("bones", &BonesDump(mesh.skeleton()))?;
        let animations = || mesh.animations().map(move |animation| AnimationDump { animation, arrays });
        map.serialize_entry("animations", &Sequence(animations))?;
        map.serialize_entry("surfaces", &SurfacesDump { mesh, arrays })?;
        map.end()
    }
}

impl<'a> Serializable<'a> for Anim<'a> {
    fn serialize<S: Serializer>(&self, arrays: Arrays, serializer: S) -> Result<S::Ok, S::Error> {
        let anim = self;
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("format", meshlens_unigine::FORMAT)?;
        map.serialize_entry("version", anim.version().as_str())?;
        if let Some(bounds) = anim.bounds() {
            map.serialize_entry("bounds", &BoundsDump(bounds))?;
        }
        map.serialize_entry("bones", &BonesDump(anim.skeleton()))?;
        let animations = || anim.animations().map(move |animation| AnimationDump { animation, arrays });
        map.serialize_entry("animations", &Sequence(animations))?;
        map.serialize_entry("surfaces", &[(); 0])?;
        map.end()
    }
}

struct BoundsDump(BoundingVolume);

impl Serialize for BoundsDump {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("min", &self.0.bounds.min)?;
        map.serialize_entry("max", &self.0.bounds.max)?;
        map.serialize_entry("center", &self.0.center)?;
        map.serialize_entry("radius", &self.0.radius)?;
        map.end()
    }
}

struct BonesDump<'d, 'a>(Skeleton<'d, 'a>);

impl Serialize for BonesDump<'_, '_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.bones().map(BoneDump))
    }
}

struct BoneDump<'a>(meshlens_unigine::Bone<'a>);

impl Serialize for BoneDump<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Transform { position, rotation, scale } = self.0.transform;
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("name", &self.0.name.to_text())?;
        map.serialize_entry("parent", &self.0.parent.map_or(-1, |parent| parent as i64))?;
        map.serialize_entry("position", &position)?;
        map.serialize_entry("rotation", &rotation)?;
        map.serialize_entry("scale", &scale)?;
        map.end()
    }
}

struct AnimationDump<'d, 'a> {
    animation: Animation<'d, 'a>,
    arrays: Arrays,
}

impl Serialize for AnimationDump<'_, '_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let AnimationDump { animation, arrays } = *self;
        let (frames, bones) = (animation.frame_count(), animation.bone_count());
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("name", &animation.name().to_text())?;
        map.serialize_entry("bones", &Sequence(|| animation.bones().iter()))?;
        map.serialize_entry("frames", &frames)?;
        let translation = || components(animation, |transform| transform.position);
        map.serialize_entry("translation", &Array::new(arrays, &[frames, bones, 3], translation))?;
        let rotation = || components(animation, |transform| transform.rotation);
        map.serialize_entry("rotation", &Array::new(arrays, &[frames, bones, 4], rotation))?;
        let scale = || components(animation, |transform| transform.scale);
        map.serialize_entry("scale", &Array::new(arrays, &[frames, bones, 3], scale))?;
        map.end()
    }
}

/// One kind of component of every bone in every frame.
fn components<const D: usize>(
    animation: Animation<'_, '_>,
    component: fn(&Transform) -> [f32; D],
) -> impl Iterator<Item = f32> {
    let mut sampler = animation.sampler();
    let frames = if animation.bone_count() == 0 { 0 } else { animation.frame_count() };
    (0..frames).flat_map(move |_| {
        // Parsing has checked every frame.
        let pose = sampler.next().unwrap_or(&[]);
        pose.iter().flat_map(component).collect::<Vec<f32>>()
    })
}

struct SurfacesDump<'d, 'a> {
    mesh: &'d Mesh<'a>,
    arrays: Arrays,
}

impl Serialize for SurfacesDump<'_, '_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut sequence = serializer.serialize_seq(Some(self.mesh.surface_count()))?;
        let mut buffer = Vec::new();
        for surface in self.mesh.surfaces() {
            // This only fails for packed geometry. In that case, no other part of the surface can be shown.
            let geometry = surface.geometry(&mut buffer).map_err(S::Error::custom)?;
            sequence.serialize_element(&SurfaceDump { surface, geometry, arrays: self.arrays })?;
        }
        sequence.end()
    }
}

struct SurfaceDump<'a, 'b> {
    surface: Surface<'a>,
    geometry: Geometry<'b>,
    arrays: Arrays,
}

/// Uses the getters, because each use of `Geometry::arrays` walks all morph targets.
impl Serialize for SurfaceDump<'_, '_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let SurfaceDump { surface, geometry, arrays } = *self;
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("name", &surface.name().to_text())?;
        if let Some(lightmap) = surface.lightmap() {
            map.serialize_entry("lightmap", &lightmap)?;
        }
        map.serialize_entry("bounds", &BoundsDump(surface.bounds()))?;
        let targets = || geometry.targets().map(move |target| TargetDump { target, arrays });
        map.serialize_entry("morph_targets", &Sequence(targets))?;
        map.serialize_entry("weights", &WeightsDump { geometry, arrays })?;
        for (set, name) in ["texcoords0", "texcoords1"].into_iter().enumerate() {
            let texcoords = geometry.texcoords(set).map_err(S::Error::custom)?;
            let values = || texcoords.into_iter().flatten();
            map.serialize_entry(name, &Array::new(arrays, &[texcoords.len(), 2], values))?;
        }
        let colors = geometry.colors();
        map.serialize_entry(
            "colors",
            &Array::new(arrays, &[colors.len(), 4], || colors.into_iter().flatten()),
        )?;
        for (name, indices) in [
            ("coordinate_indices", geometry.coordinate_indices()),
            ("triangle_indices", geometry.triangle_indices()),
        ] {
            map.serialize_entry(name, &Array::new(arrays, &[indices.len()], || indices.iter()))?;
        }
        map.end()
    }
}

struct TargetDump<'a> {
    target: Target<'a>,
    arrays: Arrays,
}

impl Serialize for TargetDump<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let TargetDump { target, arrays } = self;
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("name", &target.name.to_text())?;
        let positions = || target.positions.into_iter().flatten();
        map.serialize_entry("positions", &Array::new(*arrays, &[target.positions.len(), 3], positions))?;
        let tangents = || target.tangents.iter().flatten();
        map.serialize_entry("tangents", &Array::new(*arrays, &[target.tangents.len(), 4], tangents))?;
        map.end()
    }
}

struct WeightsDump<'a> {
    geometry: Geometry<'a>,
    arrays: Arrays,
}

impl Serialize for WeightsDump<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let WeightsDump { geometry, arrays } = *self;
        let weights = geometry.weights();
        let count = weights.len();
        let mut map = serializer.serialize_map(None)?;
        let counts = || weights.clone().map(|influence| influence.count);
        map.serialize_entry("counts", &Array::new(arrays, &[count], counts))?;
        let bones = || weights.clone().flat_map(|influence| influence.bones);
        map.serialize_entry("bones", &Array::new(arrays, &[count, 4], bones))?;
        let normalized = || weights.clone().flat_map(|influence| influence.normalized_weights());
        map.serialize_entry("weights", &Array::new(arrays, &[count, 4], normalized))?;
        map.end()
    }
}
