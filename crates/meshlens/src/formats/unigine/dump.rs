//! Dumps UNIGINE with the names of its documents: inherited components of animations filled in, tangent frames as
//! quaternions.

use alloc::vec::Vec;

use meshlens_unigine::{Anim, Animation, Bone, BoundingVolume, Geometry, Mesh, Surface, Target, Transform};
use serde::ser::{Error, SerializeMap, SerializeSeq};
use serde::{Serialize, Serializer};

use crate::dump::array::{Array, Arrays};
use crate::dump::{Sequence, Serializable, With, object, objects};

impl<'a> Serializable<'a> for Mesh<'a> {
    fn serialize<S: Serializer>(&self, arrays: Arrays, serializer: S) -> Result<S::Ok, S::Error> {
        let mesh = self;
        object! { serializer;
            "format": meshlens_unigine::FORMAT,
            "version": mesh.version().as_str(),
            "bounds": BoundsDump(mesh.bounds()),
            "bones": Sequence(|| mesh.skeleton().bones().map(BoneDump)),
            "animations": Sequence(|| mesh.animations().map(move |animation| With(animation, arrays))),
            "surfaces": SurfacesDump { mesh, arrays },
        }
    }
}

impl<'a> Serializable<'a> for Anim<'a> {
    fn serialize<S: Serializer>(&self, arrays: Arrays, serializer: S) -> Result<S::Ok, S::Error> {
        let anim = self;
        object! { serializer;
            "format": meshlens_unigine::FORMAT,
            "version": anim.version().as_str(),
            ..anim.bounds().map(|bounds| ("bounds", BoundsDump(bounds))),
            "bones": Sequence(|| anim.skeleton().bones().map(BoneDump)),
            "animations": Sequence(|| anim.animations().map(move |animation| With(animation, arrays))),
            "surfaces": [(); 0],
        }
    }
}

struct BoundsDump(BoundingVolume);

struct BoneDump<'a>(Bone<'a>);

impl With<Animation<'_, '_>> {
    /// One kind of component of every bone in every frame.
    fn components<const D: usize>(&self, component: fn(&Transform) -> [f32; D]) -> impl Serialize {
        let With(animation, arrays) = *self;
        let (frames, bones) = (animation.frame_count(), animation.bone_count());
        Array::new(arrays, &[frames, bones, D], move || {
            let mut sampler = animation.sampler();
            let frames = if bones == 0 { 0 } else { frames };
            (0..frames).flat_map(move |_| {
                // Parsing has checked every frame.
                let pose = sampler.next().unwrap_or(&[]);
                pose.iter().flat_map(component).collect::<Vec<f32>>()
            })
        })
    }
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

/// Uses the getters, because each use of `Geometry::arrays` walks all morph targets.
struct SurfaceDump<'a, 'b> {
    surface: Surface<'a>,
    geometry: Geometry<'b>,
    arrays: Arrays,
}

struct WeightsDump<'a> {
    geometry: Geometry<'a>,
    arrays: Arrays,
}

objects! {
    impl[] BoundsDump, BoundsDump(volume) => {
        "min": volume.bounds.min,
        "max": volume.bounds.max,
        "center": volume.center,
        "radius": volume.radius,
    }

    impl[] BoneDump<'_>, BoneDump(bone) => {
        "name": bone.name.to_text(),
        "parent": bone.parent.map_or(-1, |parent| parent as i64),
        "position": bone.transform.position,
        "rotation": bone.transform.rotation,
        "scale": bone.transform.scale,
    }

    impl[] With<Animation<'_, '_>>, dump @ With(animation, _) => {
        "name": animation.name().to_text(),
        "bones": Sequence(|| animation.bones().iter()),
        "frames": animation.frame_count(),
        "translation": dump.components(|transform| transform.position),
        "rotation": dump.components(|transform| transform.rotation),
        "scale": dump.components(|transform| transform.scale),
    }

    impl[] SurfaceDump<'_, '_>, &SurfaceDump { surface, geometry, arrays } => {
        "name": surface.name().to_text(),
        ..surface.lightmap().map(|lightmap| ("lightmap", lightmap)),
        "bounds": BoundsDump(surface.bounds()),
        "morph_targets": Sequence(|| geometry.targets().map(move |target| With(target, arrays))),
        "weights": WeightsDump { geometry, arrays },
        "texcoords0": texcoords::<S>(geometry, 0, arrays)?,
        "texcoords1": texcoords::<S>(geometry, 1, arrays)?,
        "colors": Array::new(arrays, &[geometry.colors().len(), 4], || geometry.colors().into_iter().flatten()),
        ..[
            ("coordinate_indices", geometry.coordinate_indices()),
            ("triangle_indices", geometry.triangle_indices()),
        ]
        .map(|(name, indices)| (name, Array::new(arrays, &[indices.len()], move || indices.iter()))),
    }

    impl[] With<Target<'_>>, With(target, arrays) => {
        "name": target.name.to_text(),
        "positions": Array::new(*arrays, &[target.positions.len(), 3], || {
            target.positions.into_iter().flatten()
        }),
        "tangents": Array::new(*arrays, &[target.tangents.len(), 4], || target.tangents.iter().flatten()),
    }

    impl[] WeightsDump<'_>, &WeightsDump { geometry, arrays } => {
        "counts": Array::new(arrays, &[geometry.weights().len()], || {
            geometry.weights().map(|influence| influence.count)
        }),
        "bones": Array::new(arrays, &[geometry.weights().len(), 4], || {
            geometry.weights().flat_map(|influence| influence.bones)
        }),
        "weights": Array::new(arrays, &[geometry.weights().len(), 4], || {
            geometry.weights().flat_map(|influence| influence.normalized_weights())
        }),
    }
}

fn texcoords<S: Serializer>(
    geometry: Geometry<'_>,
    set: usize,
    arrays: Arrays,
) -> Result<impl Serialize, S::Error> {
    let texcoords = geometry.texcoords(set).map_err(S::Error::custom)?;
    Ok(Array::new(arrays, &[texcoords.len(), 2], move || texcoords.into_iter().flatten()))
}
