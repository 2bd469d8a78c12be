//! The lines of a script about one mesh.

use meshlens_wire::Name;

use super::records::of_name;
use super::{MeshImport, MeshNotify, MeshOrigin, MeshSequence, MeshmapTexture, Script, Transform};

/// A mesh of a [`Script`]. If several lines set the same property, the last one counts, as in engines.
#[derive(Clone, Copy, Debug)]
pub struct Mesh<'s, 'a> {
    script: &'s Script<'a>,
    import: &'s MeshImport<'a>,
}

impl<'s, 'a> Mesh<'s, 'a> {
    pub(super) const fn new(script: &'s Script<'a>, import: &'s MeshImport<'a>) -> Self {
        Mesh { script, import }
    }

    /// The `MESH IMPORT` line, which has its two files.
    pub const fn import(&self) -> &'s MeshImport<'a> {
        self.import
    }

    /// The name of the mesh.
    pub const fn name(&self) -> Name<'a> {
        self.import.mesh
    }

    /// The sequences, in order. If two have the same name, engines use the first one.
    pub fn sequences(&self) -> &'s [MeshSequence<'a>] {
        of_name(&self.script.sequences, self.name().as_bytes())
    }

    /// The first sequence with this name, or `None` if there is none. ASCII letters match in any case.
    pub fn sequence(&self, name: &str) -> Option<&'s MeshSequence<'a>> {
        self.sequences().iter().find(|sequence| sequence.name.eq_ignore_case(name))
    }

    /// The notifications, in order.
    pub fn notifies(&self) -> &'s [MeshNotify<'a>] {
        of_name(&self.script.notifies, self.name().as_bytes())
    }

    fn origin_line(&self) -> Option<&'s MeshOrigin<'a>> {
        of_name(&self.script.origins, self.name().as_bytes()).last()
    }

    /// The origin of the mesh, in stored positions. 0 if no line sets it.
    pub fn origin(&self) -> [f32; 3] {
        self.origin_line().map_or([0.0; 3], |line| line.origin)
    }

    /// Yaw, pitch and roll, in units of 1/256 of a full turn. 0 if no line sets them.
    pub fn rotation(&self) -> [f32; 3] {
        self.origin_line().map_or([0.0; 3], |line| line.rotation)
    }

    /// The name by which lines about scale and textures refer to the mesh: the name in its last MESHMAP NEW line, or
    /// otherwise the name of the mesh.
    pub fn meshmap(&self) -> Name<'a> {
        let own = self.name();
        of_name(&self.script.meshmaps, own.as_bytes()).last().map_or(own, |meshmap| meshmap.name)
    }

    /// The factors for positions along X, Y and Z. 1 if no line sets them.
    pub fn scale(&self) -> [f32; 3] {
        of_name(&self.script.scales, self.meshmap().as_bytes()).last().map_or([1.0; 3], |line| line.scale)
    }

    /// The SETTEXTURE lines, in order. If several lines set the same slot, the last one counts.
    pub fn textures(&self) -> &'s [MeshmapTexture<'a>] {
        of_name(&self.script.slots, self.meshmap().as_bytes())
    }

    /// The texture of a slot, or `None` if no line sets it.
    pub fn texture(&self, slot: u32) -> Option<&'s MeshmapTexture<'a>> {
        self.textures().iter().rfind(|line| line.slot == slot)
    }

    /// The transform from stored positions to the world: origin, scale and rotation.
    pub fn transform(&self) -> Transform {
        Transform { origin: self.origin(), scale: self.scale(), rotation: self.rotation() }
    }
}
