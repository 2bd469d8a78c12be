//! What a script says of one mesh, brought together.

use meshlens_wire::Name;

use super::{MeshImport, MeshNotify, MeshOrigin, MeshSequence, MeshmapTexture, Script, Transform, of_name};

/// A mesh of a [`Script`]. Of lines that say the same twice the last one counts, as engines have it.
#[derive(Clone, Copy, Debug)]
pub struct Mesh<'s, 'a> {
    script: &'s Script<'a>,
    import: &'s MeshImport<'a>,
}

impl<'s, 'a> Mesh<'s, 'a> {
    pub(super) const fn new(script: &'s Script<'a>, import: &'s MeshImport<'a>) -> Self {
        Mesh { script, import }
    }

    /// The line that names its two files.
    pub const fn import(&self) -> &'s MeshImport<'a> {
        self.import
    }

    /// Its name.
    pub const fn name(&self) -> Name<'a> {
        self.import.mesh
    }

    /// Its sequences, in order. Engines take the first of two of one name.
    pub fn sequences(&self) -> &'s [MeshSequence<'a>] {
        of_name(&self.script.sequences, self.name().as_bytes())
    }

    /// The first sequence of this name, in any case.
    pub fn sequence(&self, name: &str) -> Option<&'s MeshSequence<'a>> {
        self.sequences().iter().find(|sequence| sequence.name.eq_ignore_case(name))
    }

    /// Its notifications, in order.
    pub fn notifies(&self) -> &'s [MeshNotify<'a>] {
        of_name(&self.script.notifies, self.name().as_bytes())
    }

    fn origin_line(&self) -> Option<&'s MeshOrigin<'a>> {
        of_name(&self.script.origins, self.name().as_bytes()).last()
    }

    /// Where its own origin lies among positions as they are stored; 0 where no line says.
    pub fn origin(&self) -> [f32; 3] {
        self.origin_line().map_or([0.0; 3], |line| line.origin)
    }

    /// Yaw, pitch and roll, 256 to the full turn; 0 where no line says.
    pub fn rotation(&self) -> [f32; 3] {
        self.origin_line().map_or([0.0; 3], |line| line.rotation)
    }

    /// The name by which scale and textures speak of it: that of its last MESHMAP NEW line, or its own.
    pub fn meshmap(&self) -> Name<'a> {
        let own = self.name();
        of_name(&self.script.meshmaps, own.as_bytes()).last().map_or(own, |meshmap| meshmap.name)
    }

    /// What positions are multiplied by; 1 where no line says.
    pub fn scale(&self) -> [f32; 3] {
        of_name(&self.script.scales, self.meshmap().as_bytes()).last().map_or([1.0; 3], |line| line.scale)
    }

    /// Its SETTEXTURE lines, in order: a later one of a slot takes the place of an earlier one.
    pub fn textures(&self) -> &'s [MeshmapTexture<'a>] {
        of_name(&self.script.slots, self.meshmap().as_bytes())
    }

    /// What a texture slot holds, `None` where no line says.
    pub fn texture(&self, slot: u32) -> Option<&'s MeshmapTexture<'a>> {
        self.textures().iter().rfind(|line| line.slot == slot)
    }

    /// What brings positions as they are stored into the world: origin, scale and rotation.
    pub fn transform(&self) -> Transform {
        Transform { origin: self.origin(), scale: self.scale(), rotation: self.rotation() }
    }
}
