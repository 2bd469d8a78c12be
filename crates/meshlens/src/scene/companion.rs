//! What belongs to a model and is not in its file: the files beside it, and other materials of its meshes.

use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;

use crate::model::Material;

/// A file that belongs to a model, or a part of such a file. It travels through formats that do not know it, and is written
/// again as it was.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Companion {
    /// What the file is.
    pub kind: CompanionKind,
    /// The name of the file without its folder, or the name of a [shader](CompanionKind::Shader).
    pub name: String,
    /// The name of the model that the file belongs to: its file without the extension.
    pub of: String,
    /// The content.
    pub bytes: Arc<[u8]>,
}

/// What a [`Companion`] is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum CompanionKind {
    /// The clips of an MD3: `animation.cfg`, or `x.animation.cfg`.
    Clips,
    /// A `.skin` file of an MD3.
    Skin,
    /// One shader of a Quake 3 script, from its name to its closing brace.
    Shader,
    /// The file of a coarser level of detail of an MD3.
    Level,
    /// A picture of a player for menus, `icon_NAME` for a skin.
    Icon,
    /// The script (`.uc`) of an Unreal mesh.
    Script,
    /// A file of an Unreal mesh that a script imports: the geometry, then the frames.
    Mesh,
    /// A file of UNIGINE materials.
    Material,
    /// The bytes of an MD3 that do not follow from the model: see `meshlens::model::export::md3_rest`.
    Rest,
}

impl CompanionKind {
    /// Every kind and its name.
    pub const ALL: [(CompanionKind, &'static str); 9] = [
        (CompanionKind::Clips, "clips"),
        (CompanionKind::Skin, "skin"),
        (CompanionKind::Shader, "shader"),
        (CompanionKind::Level, "level"),
        (CompanionKind::Icon, "icon"),
        (CompanionKind::Script, "script"),
        (CompanionKind::Mesh, "mesh"),
        (CompanionKind::Material, "material"),
        (CompanionKind::Rest, "rest"),
    ];

    /// The name, such as `skin`.
    pub fn name(self) -> &'static str {
        CompanionKind::ALL.iter().find(|(kind, _)| *kind == self).map_or("", |(_, name)| name)
    }

    /// Whether a file of this kind can have a name. A name never has a folder, except that of a shader, which is no file.
    pub fn has_name(self, name: &str) -> bool {
        let ends_in = |ends: &[&str]| {
            ends.iter().any(|end| {
                let at = name.len().checked_sub(end.len()).filter(|at| *at > 0);
                at.and_then(|at| name.get(at..)).is_some_and(|own| own.eq_ignore_ascii_case(end))
            })
        };
        let is_plain = !name.contains(['/', '\\', ':', '\0']);
        match self {
            CompanionKind::Shader => !name.is_empty(),
            CompanionKind::Clips => {
                is_plain && (name.eq_ignore_ascii_case("animation.cfg") || ends_in(&[".animation.cfg"]))
            }
            CompanionKind::Skin => is_plain && ends_in(&[".skin"]),
            CompanionKind::Icon => {
                let is_icon = name.get(..5).is_some_and(|start| start.eq_ignore_ascii_case("icon_"));
                is_plain && is_icon && ends_in(&[".tga", ".jpg", ".jpeg", ".png"])
            }
            CompanionKind::Level | CompanionKind::Rest => is_plain && ends_in(&[".md3"]),
            CompanionKind::Mesh => is_plain && ends_in(&[".3d"]),
            CompanionKind::Script => is_plain && ends_in(&[".uc"]),
            CompanionKind::Material => is_plain && ends_in(&[".mat", ".xml", ".node"]),
        }
    }

    /// The kind with this name.
    pub fn of_name(name: &str) -> Option<CompanionKind> {
        CompanionKind::ALL.iter().find(|(_, known)| *known == name).map(|(kind, _)| *kind)
    }
}

/// Other materials of the meshes of a model, such as a skin.
#[derive(Clone, Debug, PartialEq)]
pub struct Variant {
    /// The name, such as `red`.
    pub name: String,
    /// The material of each mesh of the model; `None` if the mesh keeps its own.
    pub materials: Vec<Option<Material>>,
}
