//! The rules by which companion files are found, in one table that is also the documentation of [`Rule`].

use std::fmt;

use crate::{AssetPath, FoundFile};

macro_rules! rules {
    ($($(#[$doc:meta])* $rule:ident: $of:literal, $looks_for:literal, $section:literal;)*) => {
        /// A rule by which the other files of a model are found.
        ///
        /// Names are compared in any case. Files are looked up only inside the mounts.
        ///
        /// | rule | for | looks for | format document |
        /// |---|---|---|---|
        $(#[doc = concat!("| [`", stringify!($rule), "`](Rule::", stringify!($rule), ") | ", $of, " | ", $looks_for, " | ", $section, " |")])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[non_exhaustive]
        pub enum Rule {
            $($(#[$doc])* $rule,)*
        }

        impl Rule {
            /// All rules.
            pub const ALL: &'static [Rule] = &[$(Rule::$rule),*];

            /// The models to which the rule applies.
            pub const fn applies_to(self) -> &'static str {
                match self { $(Rule::$rule => $of,)* }
            }

            /// The names that are looked up, in order.
            pub const fn looks_for(self) -> &'static str {
                match self { $(Rule::$rule => $looks_for,)* }
            }

            /// The section of the format document that the rule comes from.
            pub const fn section(self) -> &'static str {
                match self { $(Rule::$rule => $section,)* }
            }
        }
    };
}

rules! {
    /// The file that was requested.
    Named: "every model", "the requested name", "none";
    /// The other file of an Unreal mesh.
    Pair: "`x_d.3d`, `x_a.3d`, `DATAnn.3d`, `ANIVnn.3d`",
        "`x_a.3d`, `x_d.3d`, `ANIVnn.3d`, `DATAnn.3d` in the same folder", "Unreal: pairing";
    /// The script of an Unreal mesh, which names its files, sequences and textures.
    Script: "an Unreal mesh",
        "`x.uc`, then every `.uc`, in the folder of the mesh and in `Classes` next to that folder or above it: the first that imports the mesh",
        "Unreal: `#exec` lines";
    /// The clips of a player.
    AnimationConfig: "`lower.md3`, `upper.md3`", "`animation.cfg` in the same folder", "MD3: animation.cfg";
    /// The clips of a model that is not part of a player.
    NamedClips: "`x.md3`", "`x.animation.cfg` in the same folder", "MD3: animation.cfg";
    /// The materials of a model's meshes.
    Skin: "`x.md3`", "`x_NAME.skin` in the same folder, and for a number `x.md3_NUMBER.skin`, the column of `x.md3.skin`, and images `SURFACE_NUMBER`, as engines of Quake 1 do; for players and their parts `NAME` is `default` unless another is requested, or else the first one", "MD3: .skin";
    /// Coarser levels of detail.
    Level: "`x.md3`", "`x_1.md3`, `x_2.md3`, `x_3.md3` in the same folder", "MD3: levels of detail";
    /// The parts of a player, attached to one another at their tags.
    PlayerPart: "a folder", "`lower.md3`, `upper.md3` and `head.md3`", "MD3: player";
    /// Animations of a skinned mesh.
    Animation: "a UNIGINE mesh with bones", "every `.anim` in the same folder of which at least half of the bones are bones of the mesh", "UNIGINE: an10, an11";
    /// The files that an imported file refers to.
    Buffer: "a glTF file", "the paths of its buffers, from its folder", "none";
    /// The shaders of Quake 3 surfaces.
    Shader: "an MD3 model", "every `scripts/*.shader` and `shaders/*.shader`: the shaders that its surfaces name", "MD3: Shader";
    /// The materials of UNIGINE surfaces, and the nodes that assign them.
    MaterialFile: "a UNIGINE mesh",
        "every `.node`, `.mat` and `.xml` in the folder of the mesh, in `materials`, `material` and `nodes` in it, and in the same folders of the two folders above",
        "UNIGINE: User Material File Format";
    /// The textures of materials. They are found, but not read.
    Texture: "every material with a texture",
        "the name from the root of the mounts, then from the folder of the model, each unchanged and with the extensions of images", "none";
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self, f)
    }
}

/// One file that was looked up.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Lookup {
    /// The rule that was applied.
    pub rule: Rule,
    /// The path that was looked up.
    pub path: AssetPath,
    /// The file, or `None` if no mount has it.
    pub found: Option<FoundFile>,
}
