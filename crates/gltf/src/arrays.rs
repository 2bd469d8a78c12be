//! Accessors of vertex arrays. Equal arrays are stored once: they are found by a hash of their content and compared by
//! decoding them again. No array is kept in memory.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hasher};

use crate::Error;
use crate::buffer::{Content, Form};
use crate::builder::Builder;
use crate::json::{Accessor, Component, Kind};
use crate::shape::{Attribute, ShapeValues, bounds};
use crate::stored::{AccessorKey, Elements, Known, Use, VectorKey};
use crate::views::CANDIDATES;

/// The place where an array of a list is stored.
#[derive(Clone, Copy)]
enum Origin {
    /// Nowhere yet.
    New,
    /// In an accessor that exists.
    Accessor(usize),
    /// With an equal array of the list.
    Same(usize),
}

/// An array of a list that is measured.
struct Measured {
    wanted: ShapeValues,
    bounds: [[f32; 3]; 2],
    form: Form,
    key: VectorKey,
    origin: Origin,
}

/// The data of each array of a list, shared by lists and tables.
type Vector =
    (Measured, (VectorKey, Vec<(usize, ShapeValues)>), (usize, ShapeValues), Known, Content, [usize; 2]);

impl Builder<'_, '_, '_> {
    /// The index of an accessor. It is added unless an equal one exists.
    pub(crate) fn accessor(&mut self, accessor: Accessor) -> Result<usize, Error> {
        self.memory.elements::<(Accessor, AccessorKey, usize)>(1, "accessors")?;
        self.memory.array::<f32>(accessor.min.len() + accessor.max.len(), "bounds")?;
        let next = self.root.accessors.len();
        if let (Some(view), None) = (accessor.buffer_view, &accessor.sparse) {
            let Accessor { byte_offset, component_type, kind, count, normalized, ref min, .. } = accessor;
            let key = (view, byte_offset, component_type as u16, kind, count, normalized, min.is_empty());
            let known = *self.arrays.accessors.entry(key).or_insert(next);
            if known < next {
                return Ok(known);
            }
        }
        self.root.accessors.push(accessor);
        Ok(next)
    }

    /// The accessors of an attribute: the base frame, then the targets. Equal arrays share an accessor.
    pub(crate) fn vectors(
        &mut self,
        shape: usize,
        attribute: Attribute,
        targets: &[usize],
    ) -> Result<Vec<usize>, Error> {
        let measured = self.measured(shape, attribute, targets)?;
        let mut accessors = vec![0; measured.len()];
        // A displacement that does not fit 16 bits is stored as floats in the same unit.
        for form in [Form::I16, Form::I8, Form::Steps, Form::F32] {
            let new: Vec<usize> = (0..measured.len())
                .filter(|index| {
                    measured[*index].form == form && matches!(measured[*index].origin, Origin::New)
                })
                .collect();
            if !new.is_empty() {
                self.store(form, &measured, &new, &mut accessors)?;
            }
        }
        for (index, vector) in measured.iter().enumerate() {
            match vector.origin {
                Origin::New => {}
                Origin::Accessor(accessor) => accessors[index] = accessor,
                Origin::Same(other) => accessors[index] = accessors[other],
            }
        }
        Ok(accessors)
    }

    /// Measures the base frame and the targets. Every array is measured before anything is written: the document has the bounds,
    /// and precedes the buffer.
    fn measured(
        &mut self,
        shape: usize,
        attribute: Attribute,
        targets: &[usize],
    ) -> Result<Vec<Measured>, Error> {
        let base = self.shapes[shape].base;
        let quantized = self.shapes[shape].quantized.is_some();
        let vertices = self.shapes[shape].topology.vertex_count();
        // The positions of a skinned mesh stay floats: no node scales them.
        let are_bytes = self.options.quantize
            && self.options.compact_joints
            && self.shapes[shape].mesh.skin.is_some()
            && targets.is_empty();
        self.memory.elements::<Vector>(targets.len() + 1, "morph targets")?;
        let base = ShapeValues { shape, attribute, frame: base, relative: false };
        let targets =
            targets.iter().map(|frame| ShapeValues { shape, attribute, frame: *frame, relative: true });
        let mut measured: Vec<Measured> = Vec::new();
        let mut fresh: HashMap<VectorKey, Vec<(usize, ShapeValues)>> = HashMap::new();
        for wanted in std::iter::once(base).chain(targets) {
            let values = self.shapes[shape].values(wanted, &mut self.scratch)?;
            let bounds = bounds(values);
            let mut hash = DefaultHasher::new();
            hash.write(bytemuck::cast_slice(values));
            let reach = bounds.as_flattened().iter().fold(0.0f32, |reach, value| reach.max(value.abs()));
            let form = match attribute {
                Attribute::Position if quantized && reach <= f32::from(i16::MAX) => Form::I16,
                Attribute::Normal if (quantized || are_bytes) && reach <= 1.0 => Form::I8,
                Attribute::Normal if quantized => Form::Steps,
                _ => Form::F32,
            };
            if form == Form::I8 {
                self.use_extension("KHR_mesh_quantization", true);
            }
            let key = (hash.finish(), attribute, form, vertices);
            let origin = self.origin(wanted, &key, fresh.get(&key).map_or(&[][..], Vec::as_slice))?;
            if matches!(origin, Origin::New) {
                fresh.entry(key).or_default().push((measured.len(), wanted));
            }
            measured.push(Measured { wanted, bounds, form, key, origin });
        }
        Ok(measured)
    }

    /// Stores the arrays of one form with the indices `new` in one view, and sets their accessors.
    fn store(
        &mut self,
        form: Form,
        measured: &[Measured],
        new: &[usize],
        accessors: &mut [usize],
    ) -> Result<(), Error> {
        let contents: Vec<Content> =
            new.iter().map(|index| Content::Vectors { wanted: measured[*index].wanted, form }).collect();
        let (.., vertices) = measured[new[0]].key;
        let each = (vertices * form.stride()) as u64;
        let len = each * contents.len() as u64;
        let elements = match form {
            Form::Steps => Elements::Steps(form.stride()),
            _ => Elements::Attributes(form.stride()),
        };
        let compressed = self.compressed(elements, &contents, len)?;
        self.plan.align();
        let start = self.plan.len();
        let is_compressed = compressed.is_some();
        let uncompressed = || contents.into_iter().map(|content| (content, each)).collect();
        for (content, len) in compressed.map_or_else(uncompressed, |compressed| vec![compressed]) {
            self.plan.push(content, len);
        }
        let view = self.view(start, Some(form.stride()), Use::Vertices)?;
        if is_compressed {
            self.compress(view, elements, len);
        }
        for (number, index) in new.iter().enumerate() {
            let Measured { wanted, bounds, key, .. } = measured[*index];
            let mut described = match form {
                Form::F32 | Form::Steps => Accessor::new(view, Component::F32, Kind::Vec3, vertices),
                Form::I16 => Accessor::new(view, Component::I16, Kind::Vec3, vertices),
                Form::I8 => Accessor::new(view, Component::I8, Kind::Vec3, vertices).normalized(),
            };
            if wanted.attribute == Attribute::Position {
                described = described.bounds(bounds);
            }
            let accessor = self.accessor(described.at(each * number as u64))?;
            accessors[*index] = accessor;
            self.arrays.vectors.entry(key).or_default().push(Known { wanted, accessor });
        }
        Ok(())
    }

    /// The place of the vector array that was decoded last. `fresh` are the arrays of the list with the same key.
    fn origin(
        &mut self,
        wanted: ShapeValues,
        key: &VectorKey,
        fresh: &[(usize, ShapeValues)],
    ) -> Result<Origin, Error> {
        let stored = self.arrays.vectors.get(key).map_or(&[][..], Vec::as_slice);
        let candidates: Vec<(ShapeValues, Origin)> = stored
            .iter()
            .map(|known| (known.wanted, Origin::Accessor(known.accessor)))
            .chain(fresh.iter().map(|(index, wanted)| (*wanted, Origin::Same(*index))))
            .take(CANDIDATES)
            .collect();
        if candidates.is_empty() {
            return Ok(Origin::New);
        }
        let replaced = self.scratch.replaced;
        let own = self.shapes[wanted.shape].values(wanted, &mut self.scratch)?.clone();
        let mut found = Origin::New;
        for (other, origin) in candidates {
            if *self.shapes[other.shape].values(other, &mut self.scratch)? == own {
                found = origin;
                break;
            }
        }
        self.scratch.replaced = replaced;
        Ok(found)
    }

    /// An accessor of floats.
    pub(crate) fn floats_accessor(&mut self, of: Use, values: &[f32], kind: Kind) -> Result<usize, Error> {
        let bytes = values.iter().flat_map(|value| value.to_le_bytes()).collect();
        let components = kind.components();
        let view = self.bytes_view(of, Elements::Attributes(components * size_of::<f32>()), bytes)?;
        self.accessor(Accessor::new(view, Component::F32, kind, values.len() / components))
    }

    pub(crate) fn texcoords(&mut self, shape: usize, set: usize, vertices: usize) -> Result<usize, Error> {
        // Decoded once in advance to count values that are not finite.
        self.shapes[shape].texcoords(set, &mut self.scratch)?;
        let replaced = self.scratch.replaced;
        let size = self.shapes[shape].texcoord_size(set, self.options, &mut self.scratch)?;
        self.scratch.replaced = replaced;
        let stride = if size == 4 { 8 } else { 4 };
        let content = Content::Texcoords { shape, set, size };
        let len = (vertices * stride) as u64;
        let view = self.content_view(Use::Vertices, Elements::Attributes(stride), content, len)?;
        self.accessor(match size {
            1 => Accessor::new(view, Component::U8, Kind::Vec2, vertices).normalized(),
            2 => Accessor::new(view, Component::U16, Kind::Vec2, vertices).normalized(),
            _ => Accessor::new(view, Component::F32, Kind::Vec2, vertices),
        })
    }

    pub(crate) fn indices(
        &mut self,
        shape: usize,
        submesh: usize,
        count: usize,
        vertices: usize,
    ) -> Result<usize, Error> {
        // Index 65535 is not valid in 16 bits: it restarts primitives (glTF 2.0: 3.7.2.1).
        let wide = vertices > 65535;
        let (component, size) = if wide { (Component::U32, 4) } else { (Component::U16, 2) };
        let content = Content::Indices { shape, submesh, wide };
        let view =
            self.content_view(Use::Indices, Elements::Triangles(size), content, (count * size) as u64)?;
        self.accessor(Accessor::new(view, component, Kind::Scalar, count))
    }
}
