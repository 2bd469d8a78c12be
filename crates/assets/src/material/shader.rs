//! Quake 3 shader scripts (`scripts/*.shader`): the parts that matter for a still image of a model.

use meshlens::wire::{Error, ErrorKind};

/// The name of the format in errors.
pub(super) const FORMAT: &str = "shader";
/// The largest number of faults that a parse keeps. All faults are counted.
pub const MAX_FAULTS: usize = 16;

/// The shaders of a script.
///
/// ```
/// use meshlens_assets::material::{Cull, ShaderScript, StageImage};
///
/// let script = ShaderScript::parse(b"models/flag
/// {
///     cull none
///     {
///         map models/flag.tga // the cloth
///         alphaFunc GE128
///     }
/// }")?;
/// let flag = &script.shaders[0];
/// assert_eq!((flag.name.as_str(), flag.cull), ("models/flag", Cull::None));
/// assert_eq!(flag.stages[0].image, StageImage::File("models/flag.tga".into()));
/// # Ok::<(), meshlens::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ShaderScript {
    /// The shaders, in file order. If two have the same name, engines use the first.
    pub shaders: Vec<Shader>,
    /// The first [`MAX_FAULTS`] faults, such as missing braces and missing arguments.
    pub faults: Vec<Error>,
    /// The total number of faults.
    pub fault_count: u64,
}

/// A shader: how a surface is drawn, in one or more passes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Shader {
    /// The name, as written. Names are compared in any case and without extension.
    pub name: String,
    /// The absolute offset of the name in its script.
    pub offset: u64,
    /// The absolute offset after its closing brace, or where the next shader begins if that brace is missing.
    pub end: u64,
    /// The sides that are drawn.
    pub cull: Cull,
    /// `surfaceparm nodraw`: the surface is not drawn.
    pub is_no_draw: bool,
    /// `skyParms`, `fogParms`, `portal`: effects of a world, as written.
    pub effects: Vec<String>,
    /// The kinds of `deformVertexes`: `wave`, `bulge`, `autosprite`.
    pub deforms: Vec<String>,
    /// `qer_editorimage`: the image that editors show.
    pub editor_image: Option<String>,
    /// The passes, in drawing order. At most [`MAX_STAGES`] are kept.
    pub stages: Vec<Stage>,
    /// The total number of passes.
    pub stage_count: usize,
}

/// The largest number of stages of a shader that are kept. Engines draw 8.
pub const MAX_STAGES: usize = 16;

/// The side of a surface that is not drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Cull {
    /// `cull front`, and shaders without `cull`: front faces are drawn.
    #[default]
    Back,
    /// `cull back`, `backside`, `backsided`: back faces are drawn.
    Front,
    /// `cull none`, `disable`, `twosided`: both are drawn.
    None,
}

/// One pass of a shader.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Stage {
    /// The image that is drawn.
    pub image: StageImage,
    /// Whether the texture is clamped (`clampMap`) instead of repeated.
    pub is_clamped: bool,
    /// `blendFunc`: the factors of the source and of the destination; `None` if the stage replaces what was drawn before.
    pub blend: Option<(BlendFactor, BlendFactor)>,
    /// `alphaFunc`: the pixels that are drawn.
    pub alpha_test: Option<AlphaTest>,
    /// Whether `depthWrite` is set.
    pub writes_depth: bool,
    /// `rgbGen`: the source of the color.
    pub rgb_gen: ColorGen,
    /// `alphaGen`: the source of the alpha.
    pub alpha_gen: ColorGen,
    /// `tcGen`: the source of the texture coordinates, such as `environment`, `vector` or `lightmap`; `None` for the
    /// texture coordinates of the surface.
    pub texcoord_gen: Option<String>,
    /// The kinds of `tcMod`: `scroll`, `rotate`, `scale`.
    pub texcoord_mods: Vec<String>,
}

/// The image of a stage.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum StageImage {
    /// The stage names no image.
    #[default]
    Missing,
    /// `map` or `clampMap`: an image file.
    File(String),
    /// `animMap`: several image files that are shown in turn.
    Frames {
        /// The first one.
        first: String,
        /// The number of images.
        count: usize,
    },
    /// `map $lightmap`: the lightmap of a world.
    Lightmap,
    /// `map $whiteimage`, `map *white`: a white image.
    White,
    /// `videoMap`: a video.
    Video(String),
}

/// A factor of `blendFunc`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names are those of OpenGL")]
pub enum BlendFactor {
    Zero,
    One,
    SrcColor,
    OneMinusSrcColor,
    DstColor,
    OneMinusDstColor,
    SrcAlpha,
    OneMinusSrcAlpha,
    DstAlpha,
    OneMinusDstAlpha,
    SrcAlphaSaturate,
}

impl BlendFactor {
    pub(super) fn parse(word: &[u8]) -> Option<Self> {
        let all: [(&str, Self); 11] = [
            ("GL_ZERO", BlendFactor::Zero),
            ("GL_ONE", BlendFactor::One),
            ("GL_SRC_COLOR", BlendFactor::SrcColor),
            ("GL_ONE_MINUS_SRC_COLOR", BlendFactor::OneMinusSrcColor),
            ("GL_DST_COLOR", BlendFactor::DstColor),
            ("GL_ONE_MINUS_DST_COLOR", BlendFactor::OneMinusDstColor),
            ("GL_SRC_ALPHA", BlendFactor::SrcAlpha),
            ("GL_ONE_MINUS_SRC_ALPHA", BlendFactor::OneMinusSrcAlpha),
            ("GL_DST_ALPHA", BlendFactor::DstAlpha),
            ("GL_ONE_MINUS_DST_ALPHA", BlendFactor::OneMinusDstAlpha),
            ("GL_SRC_ALPHA_SATURATE", BlendFactor::SrcAlphaSaturate),
        ];
        all.into_iter().find(|(name, _)| word.eq_ignore_ascii_case(name.as_bytes())).map(|(_, factor)| factor)
    }
}

/// The pixels that `alphaFunc` draws.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AlphaTest {
    /// `GT0`: alpha above 0.
    Above0,
    /// `LT128`: alpha below one half.
    BelowHalf,
    /// `GE128`: alpha of at least one half.
    AtLeastHalf,
    /// `GE192`: alpha of at least three quarters (Return to Castle Wolfenstein).
    AtLeastThreeQuarters,
}

/// The source of the color or the alpha of a stage.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum ColorGen {
    /// Not specified: full brightness, or an alpha of 1.
    #[default]
    Unset,
    /// `lightingDiffuse`: the lights of the scene.
    Lighting,
    /// `vertex`, `exactVertex`, `oneMinusVertex`: the vertex colors, which contain the lighting of a world.
    Vertex,
    /// `const`: a color, or an alpha in its first component.
    Constant([f32; 3]),
    /// Any other source, such as `identity`, `entity` and `wave`, as written.
    Other(String),
}

impl ShaderScript {
    /// The first shader with this name, in any case; `None` if there is none. Extensions are ignored.
    pub fn shader(&self, name: &str) -> Option<&Shader> {
        let key = key(name);
        self.shaders.iter().find(|shader| self::key(&shader.name) == key)
    }

    pub(super) fn fault(&mut self, offset: u64, expected: &'static str) {
        self.fault_count = self.fault_count.saturating_add(1);
        if self.faults.len() < MAX_FAULTS {
            self.faults.push(Error::new(FORMAT, offset, ErrorKind::Syntax { expected }));
        }
    }
}

/// The spelling by which shader names are compared: lower case, with slashes, without extension.
pub(crate) fn key(name: &str) -> String {
    let name = name.replace('\\', "/").to_ascii_lowercase();
    match name.rfind('.') {
        Some(dot) if name.get(dot..).is_some_and(|end| !end.contains('/')) => {
            name.get(..dot).unwrap_or(&name).into()
        }
        _ => name,
    }
}
