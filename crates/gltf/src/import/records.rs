//! Reads the records of a document from JSON: types, ranges of indices, and required members (glTF 2.0: 5. Properties
//! Reference).

use glam::Mat4;

use super::document::{
    Accessor, Animation, Buffer, Channel, Compressed, DRACO, Document, Image, Instances, Interpolation, Kind,
    Mesh, Mode, Node, Place, Primitive, Property, Skin, Sparse, Target, Unread, View,
};
use super::json::At;
use super::materials::{Texture, material, source, wrap};
use super::texcoords::Texcoords;
use super::{broken, decode_uri};
use crate::Error;
use crate::extras::{self, Frames};
use crate::json::Component;
use crate::meshopt;

/// The lengths of the lists of a document, to check indices.
struct Counts {
    accessors: usize,
    buffers: usize,
    cameras: usize,
    materials: usize,
    meshes: usize,
    nodes: usize,
    scenes: usize,
    skins: usize,
    views: usize,
}

/// The records of a document.
pub(super) fn document(root: &At<'_>) -> Result<Document, Error> {
    let counts = Counts {
        accessors: root.count("accessors")?,
        buffers: root.count("buffers")?,
        cameras: root.count("cameras")?,
        materials: root.count("materials")?,
        meshes: root.count("meshes")?,
        nodes: root.count("nodes")?,
        scenes: root.count("scenes")?,
        skins: root.count("skins")?,
        views: root.count("bufferViews")?,
    };
    let buffers = root.each("buffers", |at| {
        Ok(Buffer { uri: at.text("uri")?, len: at.required("byteLength")?.unsigned()? })
    })?;
    let views = root.each("bufferViews", |at| view(at, &counts))?;
    let accessors = root.each("accessors", |at| accessor(at, &counts))?;
    let images = root.each("images", |at| image(at, &counts))?;
    let samplers = root.each("samplers", |at| Ok([wrap(at, "wrapS")?, wrap(at, "wrapT")?]))?;
    let textures = root.each("textures", |at| {
        let sampler = at.index("sampler", samplers.len())?.and_then(|index| samplers.get(index));
        let image = source(at, images.len())?;
        let name = image.and_then(|index| images.get(index)?.name.as_deref());
        Ok(Texture { image, name, wrap: sampler.copied().unwrap_or_default() })
    })?;
    let materials = root.each("materials", |at| material(at, &textures))?;
    let (materials, colors) = materials.into_iter().unzip();
    let mut scenes = root.each("scenes", |at| at.indices("nodes", counts.nodes))?;
    let scene = root.index("scene", counts.scenes)?.unwrap_or_default();
    Ok(Document {
        materials,
        colors,
        texcoords: root.each("materials", Texcoords::read)?,
        unread: Unread::read(root)?,
        meshes: root.each("meshes", |at| mesh(at, &counts, &accessors))?,
        skins: root.each("skins", |at| skin(at, &counts))?,
        nodes: root.each("nodes", |at| node(at, &counts))?,
        animations: root.each("animations", |at| animation(at, &counts))?,
        scene: (scene < scenes.len()).then(|| scenes.swap_remove(scene)),
        cameras: counts.cameras,
        images,
        buffers,
        views,
        accessors: accessors.into_iter().map(|(accessor, _)| accessor).collect(),
    })
}

fn view(at: &At<'_>, counts: &Counts) -> Result<View, Error> {
    let stride = at.size("byteStride")?;
    if stride.is_some_and(|stride| !(4..=252).contains(&stride)) {
        return Err(at.required("byteStride")?.fault("4 to 252 bytes"));
    }
    let len = at.required("byteLength")?.unsigned()?;
    let mut compressed = None;
    if let Some(extensions) = at.get("extensions")? {
        for name in meshopt::NAMES {
            if let Some(at) = extensions.get(name)? {
                compressed = Some(self::compressed(&at, counts, len)?);
            }
        }
    }
    Ok(View {
        buffer: at.required("buffer")?.index_below(counts.buffers)?,
        offset: at.size("byteOffset")?.unwrap_or_default(),
        len,
        stride,
        compressed,
    })
}

/// The compression of a view of `len` bytes.
fn compressed(at: &At<'_>, counts: &Counts, len: usize) -> Result<Compressed, Error> {
    let mode = at.required("mode")?;
    let mode = match mode.as_text()? {
        "ATTRIBUTES" => meshopt::Mode::Attributes,
        "TRIANGLES" => meshopt::Mode::Triangles,
        "INDICES" => meshopt::Mode::Indices,
        _ => return Err(mode.fault("ATTRIBUTES, TRIANGLES or INDICES")),
    };
    let filter = match at.get("filter")? {
        None => meshopt::Filter::None,
        Some(filter) => match filter.as_text()? {
            "NONE" => meshopt::Filter::None,
            "OCTAHEDRAL" => meshopt::Filter::Octahedral,
            "QUATERNION" => meshopt::Filter::Quaternion,
            "EXPONENTIAL" => meshopt::Filter::Exponential,
            "COLOR" => meshopt::Filter::Color,
            _ => return Err(filter.fault("NONE, OCTAHEDRAL, QUATERNION, EXPONENTIAL or COLOR")),
        },
    };
    let (count, stride) = (at.required("count")?.unsigned()?, at.required("byteStride")?.unsigned()?);
    let layout = meshopt::Layout { mode, filter, count, stride };
    if let Some(expected) = layout.fault() {
        return Err(broken(format_args!("{at}: expected {expected}")));
    }
    if count.checked_mul(stride) != Some(len) {
        return Err(broken(format_args!(
            "{at}: expected the {len} bytes of the view, found {count} elements x {stride} bytes"
        )));
    }
    Ok(Compressed {
        buffer: at.required("buffer")?.index_below(counts.buffers)?,
        offset: at.size("byteOffset")?.unwrap_or_default(),
        len: at.required("byteLength")?.unsigned()?,
        layout,
    })
}

fn component(at: &At<'_>) -> Result<Component, Error> {
    let at = at.required("componentType")?;
    Component::from_code(at.unsigned()?)
        .ok_or_else(|| at.fault("a component type (5120 to 5123, 5125, 5126)"))
}

/// An accessor, and whether it has the bounds that positions need: `min` and `max` of three numbers.
fn accessor(at: &At<'_>, counts: &Counts) -> Result<(Accessor, bool), Error> {
    let place = |at: &At<'_>| -> Result<(usize, usize), Error> {
        let view = at.required("bufferView")?.index_below(counts.views)?;
        Ok((view, at.size("byteOffset")?.unwrap_or_default()))
    };
    let sparse = match at.get("sparse")? {
        None => None,
        Some(sparse) => {
            let indices = sparse.required("indices")?;
            let index_component = component(&indices)?;
            if !index_component.is_unsigned() {
                return Err(indices.required("componentType")?.fault("an unsigned component type"));
            }
            Some(Sparse {
                count: sparse.required("count")?.unsigned()?,
                indices: place(&indices)?,
                index_component,
                values: place(&sparse.required("values")?)?,
            })
        }
    };
    let kind = at.required("type")?;
    let kind = match kind.as_text()? {
        "SCALAR" => Kind::Scalar,
        "VEC2" => Kind::Vec2,
        "VEC3" => Kind::Vec3,
        "VEC4" => Kind::Vec4,
        "MAT2" => Kind::Mat2,
        "MAT3" => Kind::Mat3,
        "MAT4" => Kind::Mat4,
        _ => return Err(kind.fault("a type such as SCALAR or VEC3")),
    };
    let bounds = [at.floats("min")?, at.floats("max")?];
    let accessor = Accessor {
        view: at.index("bufferView", counts.views)?,
        offset: at.size("byteOffset")?.unwrap_or_default(),
        count: at.required("count")?.unsigned()?,
        component: component(at)?,
        normalized: at.flag("normalized")?,
        kind,
        sparse,
    };
    Ok((accessor, bounds.iter().all(|bound| bound.as_ref().is_some_and(|bound| bound.len() == 3))))
}

fn image(at: &At<'_>, counts: &Counts) -> Result<Image, Error> {
    let view = at.index("bufferView", counts.views)?;
    let (name, mime_type) = (at.text("name")?, at.text("mimeType")?);
    let (name, place) = match (at.text("uri")?, view) {
        (Some(uri), _) => match uri.strip_prefix("data:") {
            Some(data) => (name, Place::Data(data.into())),
            None => (Some(decode_uri(&uri)), Place::File),
        },
        (None, Some(view)) => (name, Place::View(view)),
        (None, None) => (name, Place::None),
    };
    Ok(Image { name, mime_type, place })
}

fn mesh(at: &At<'_>, counts: &Counts, accessors: &[(Accessor, bool)]) -> Result<Mesh, Error> {
    let names = at.get("extras")?.and_then(|extras| {
        let names = extras.value().get("targetNames")?.as_array()?.iter();
        names.map(|name| name.as_str().map(String::from)).collect::<Option<Vec<_>>>()
    });
    at.required("primitives")?;
    Ok(Mesh {
        name: at.text("name")?,
        primitives: at.each("primitives", |at| primitive(at, counts, accessors))?,
        weights: at.floats("weights")?.unwrap_or_default(),
        target_names: names.unwrap_or_default(),
    })
}

/// Whether the name of an attribute is one of glTF's, or one that applications may use.
fn is_semantic(name: &str) -> bool {
    let is_set = |prefix| {
        name.strip_prefix(prefix).is_some_and(|set: &str| !set.is_empty() && set.parse::<u32>().is_ok())
    };
    matches!(name, "POSITION" | "NORMAL" | "TANGENT")
        || name.starts_with('_')
        || ["TEXCOORD_", "COLOR_", "JOINTS_", "WEIGHTS_"].into_iter().any(is_set)
}

fn primitive(at: &At<'_>, counts: &Counts, accessors: &[(Accessor, bool)]) -> Result<Primitive, Error> {
    let attributes = at.required("attributes")?;
    let mut named = Vec::new();
    attributes.members(|name, accessor| {
        if !is_semantic(name) {
            return Err(accessor.fault("a known attribute, or a name that begins with an underscore"));
        }
        named.push((name.to_owned(), accessor.index_below(counts.accessors)?));
        Ok(())
    })?;
    if let Some(extensions) = at.get("extensions")?
        && extensions.get(DRACO)?.is_some()
        && named.iter().any(|(_, accessor)| accessors[*accessor].0.is_empty())
    {
        // Without views there is no fallback.
        return Err(Error::Extension(DRACO.into()));
    }
    let positions = attributes.required("POSITION")?.index_below(accessors.len())?;
    if accessors.get(positions).is_some_and(|(_, has_bounds)| !has_bounds) {
        return Err(broken(format_args!(
            "/accessors/{positions}: expected min and max of 3 numbers each, as it has the positions of {at}"
        )));
    }
    let mode = match at.size("mode")? {
        None | Some(4) => Mode::Triangles,
        Some(5) => Mode::Strip,
        Some(6) => Mode::Fan,
        Some(0..4) => Mode::Other,
        Some(_) => return Err(at.required("mode")?.fault("a mode from 0 to 6")),
    };
    Ok(Primitive {
        attributes: named,
        indices: at.index("indices", counts.accessors)?,
        material: at.index("material", counts.materials)?,
        mode,
        targets: at.each("targets", |at| {
            at.index("TANGENT", counts.accessors)?;
            Ok(Target {
                positions: at.index("POSITION", counts.accessors)?,
                normals: at.index("NORMAL", counts.accessors)?,
            })
        })?,
    })
}

fn skin(at: &At<'_>, counts: &Counts) -> Result<Skin, Error> {
    at.index("skeleton", counts.nodes)?;
    at.required("joints")?;
    Ok(Skin {
        joints: at.indices("joints", counts.nodes)?,
        inverse: at.index("inverseBindMatrices", counts.accessors)?,
    })
}

fn node(at: &At<'_>, counts: &Counts) -> Result<Node, Error> {
    at.index("camera", counts.cameras)?;
    let (translation, rotation, scale) = match at.vector::<16>("matrix")? {
        Some(matrix) => {
            let (scale, rotation, translation) =
                Mat4::from_cols_array(&matrix).to_scale_rotation_translation();
            (translation.to_array(), rotation.to_array(), scale.to_array())
        }
        None => (
            at.vector("translation")?.unwrap_or_default(),
            at.vector("rotation")?.unwrap_or([0.0, 0.0, 0.0, 1.0]),
            at.vector("scale")?.unwrap_or([1.0; 3]),
        ),
    };
    let extras = at.get("extras")?.and_then(|extras| extras.value().get(extras::NAME));
    Ok(Node {
        name: at.text("name")?,
        children: at.indices("children", counts.nodes)?,
        translation,
        rotation,
        scale,
        mesh: at.index("mesh", counts.meshes)?,
        skin: at.index("skin", counts.skins)?,
        weights: at.floats("weights")?,
        frames: extras.and_then(Frames::read),
        joint_scale: extras.and_then(extras::joint_scale).unwrap_or(1.0),
        instances: Instances::read(at, counts.accessors)?,
        instance: None,
    })
}

fn animation(at: &At<'_>, counts: &Counts) -> Result<Animation, Error> {
    at.required("samplers")?;
    let samplers = at.each("samplers", |at| {
        let interpolation = match at.get("interpolation")? {
            None => Interpolation::Linear,
            Some(found) => match found.as_text()? {
                "LINEAR" => Interpolation::Linear,
                "STEP" => Interpolation::Step,
                "CUBICSPLINE" => Interpolation::CubicSpline,
                _ => return Err(found.fault("LINEAR, STEP or CUBICSPLINE")),
            },
        };
        let input = at.required("input")?.index_below(counts.accessors)?;
        Ok((interpolation, input, at.required("output")?.index_below(counts.accessors)?))
    })?;
    at.required("channels")?;
    let mut channels = Vec::new();
    let all = at.each("channels", |at| {
        let sampler = at.required("sampler")?.index_below(samplers.len())?;
        let target = at.required("target")?;
        let path = target.required("path")?;
        // Without a node, an extension defines the animated property.
        let Some(node) = target.index("node", counts.nodes)? else { return Ok(()) };
        let property = match path.as_text()? {
            "translation" => Property::Translation,
            "rotation" => Property::Rotation,
            "scale" => Property::Scale,
            "weights" => Property::Weights,
            _ => return Err(path.fault("translation, rotation, scale or weights")),
        };
        if let Some((interpolation, input, output)) = samplers.get(sampler).copied() {
            channels.push(Channel { node, property, interpolation, input, output });
        }
        Ok(())
    })?;
    Ok(Animation { name: at.text("name")?, others: all.len() - channels.len(), channels })
}
