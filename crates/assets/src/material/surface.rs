//! Converts a shader to a material: one texture, one blend mode, and a list of losses.

use meshlens::Report;
use meshlens::model::{Alpha, Material, TextureAlpha, TextureCoordinates, Wrap};

use super::codes;
use super::shader::{AlphaTest, BlendFactor, ColorGen, Cull, Shader, Stage, StageImage};

/// The smallest alpha above 0 in a texture of 8 bits.
const ABOVE_0: f32 = 1.0 / 255.0;

impl Stage {
    fn path(&self) -> Option<&str> {
        match &self.image {
            StageImage::File(path) | StageImage::Frames { first: path, .. } => Some(path),
            StageImage::Missing | StageImage::Lightmap | StageImage::White | StageImage::Video(_) => None,
        }
    }

    /// Whether the image is an environment map.
    fn is_environment(&self) -> bool {
        self.texcoord_gen.as_deref().is_some_and(|kind| kind.eq_ignore_ascii_case("environment"))
    }
}

impl Shader {
    /// The stage whose image a material shows: the first stage with an image that uses the texture coordinates of the
    /// surface, or else the first stage with any image, such as an environment map.
    pub fn base_stage(&self) -> Option<&Stage> {
        let with_image = || self.stages.iter().filter(|stage| stage.path().is_some());
        with_image().find(|stage| stage.texcoord_gen.is_none()).or_else(|| with_image().next())
    }

    /// The path of the image of the [base stage](Self::base_stage), as written.
    pub fn image(&self) -> Option<&str> {
        self.base_stage()?.path()
    }

    /// Sets all properties of a material except its name and its texture, and adds what a material cannot represent to
    /// `losses`.
    ///
    /// The first stage determines the alpha, because the other stages are drawn over it. If the first stage replaces
    /// what was drawn before, the shader is opaque. Stages that do not specify lighting have full brightness, as in
    /// engines.
    pub fn apply(&self, material: &mut Material, losses: &mut Report) {
        let base = self.base_stage();
        material.two_sided = self.cull != Cull::Back;
        material.hidden = self.is_no_draw && base.is_none();
        material.sprites = self.deforms.iter().any(|kind| kind.eq_ignore_ascii_case("autosprite"));
        material.wrap =
            [if base.is_some_and(|stage| stage.is_clamped) { Wrap::Clamp } else { Wrap::Repeat }; 2];
        material.texture_coordinates = match base {
            Some(stage) if stage.is_environment() => TextureCoordinates::Environment,
            _ => TextureCoordinates::Stored,
        };
        (material.alpha, material.cutoff, material.texture_alpha) =
            (Alpha::Opaque, Material::DEFAULT_CUTOFF, TextureAlpha::Stored);
        let mut blend_is_exact = true;
        if let (Some(first), Some(base)) = (self.stages.first(), base) {
            let shown = if first.blend.is_some() { base } else { first };
            // An alpha test of an image that is not shown would cut holes in the wrong places.
            if first.blend.is_some() || std::ptr::eq(first, base) {
                blend_is_exact = shown.set_alpha(material);
            }
        }
        let is_lit_by_world = self.stages.iter().any(|stage| stage.image == StageImage::Lightmap);
        if let Some(stage) = base.or(self.stages.first()) {
            material.unlit =
                !is_lit_by_world && !matches!(stage.rgb_gen, ColorGen::Lighting | ColorGen::Vertex);
            if let ColorGen::Constant(color) = stage.rgb_gen {
                for (slot, value) in material.color.iter_mut().zip(color) {
                    *slot = to_linear(value);
                }
            }
            if let ColorGen::Constant([alpha, ..]) = stage.alpha_gen {
                material.color[3] = alpha.clamp(0.0, 1.0);
            }
        }
        self.losses(base, blend_is_exact, losses);
    }

    fn losses(&self, base: Option<&Stage>, blend_is_exact: bool, losses: &mut Report) {
        let name = &self.name;
        let mut lose = |code, count: usize, message: std::fmt::Arguments<'_>| {
            losses.lose(
                code,
                count as u64,
                format_args!("shader {name}"),
                format_args!("shader {name}: {message}"),
            );
        };
        // Lightmaps belong to the world, not to the model.
        let lightmaps = self.stages.iter().filter(|stage| stage.image == StageImage::Lightmap).count();
        let shown = base.or(self.stages.first().filter(|stage| stage.image == StageImage::White));
        let more = self.stage_count.saturating_sub(lightmaps).saturating_sub(usize::from(shown.is_some()));
        lose(&codes::SHADER_STAGE_LOST, more, format_args!("{more} of {} stages", self.stage_count));
        let deforms = self.deforms.join(", ");
        lose(&codes::SHADER_DEFORM_LOST, self.deforms.len(), format_args!("deformVertexes {deforms}"));
        let effects = self.effects.join(", ");
        lose(&codes::SHADER_EFFECT_LOST, self.effects.len(), format_args!("{effects}"));
        lose(
            &codes::SHADER_CULL_LOST,
            usize::from(self.cull == Cull::Front),
            format_args!("only back faces are drawn"),
        );
        if let Some(stage) = base {
            let mods = stage.texcoord_mods.iter().map(|word| format!("tcMod {word}"));
            let made: Vec<String> =
                stage.texcoord_gen.iter().map(|word| format!("tcGen {word}")).chain(mods).collect();
            lose(&codes::SHADER_TEXCOORD_LOST, made.len(), format_args!("{}", made.join(", ")));
            if let StageImage::Frames { count, .. } = &stage.image {
                lose(&codes::SHADER_ANIMATION_LOST, 1, format_args!("animMap of {count} images"));
            }
            for (what, color) in [("rgbGen", &stage.rgb_gen), ("alphaGen", &stage.alpha_gen)] {
                if let ColorGen::Other(word) = color
                    && word.eq_ignore_ascii_case("wave")
                {
                    lose(&codes::SHADER_ANIMATION_LOST, 1, format_args!("{what} {word}"));
                }
            }
            if stage.alpha_test == Some(AlphaTest::BelowHalf) {
                lose(&codes::SHADER_ALPHA_TEST_LOST, 1, format_args!("alphaFunc LT128"));
            }
        } else if let Some(StageImage::Video(path)) = self.stages.first().map(|stage| &stage.image) {
            lose(&codes::SHADER_ANIMATION_LOST, 1, format_args!("videoMap {path}"));
        }
        lose(
            &codes::SHADER_BLEND_APPROXIMATED,
            usize::from(!blend_is_exact),
            format_args!("blendFunc that is not alpha blending"),
        );
    }
}

impl Stage {
    /// Sets the alpha mode, the cutoff and the source of the alpha. Returns whether the material draws the same as the
    /// stage.
    fn set_alpha(&self, material: &mut Material) -> bool {
        let cutoff = match self.alpha_test {
            Some(AlphaTest::Above0) => Some(ABOVE_0),
            Some(AlphaTest::AtLeastHalf) => Some(0.5),
            Some(AlphaTest::AtLeastThreeQuarters) => Some(0.75),
            Some(AlphaTest::BelowHalf) | None => None,
        };
        // A high cutoff or written depth means that the drawn parts of the surface are solid.
        let is_solid = self.writes_depth || cutoff.is_some_and(|cutoff| cutoff >= 0.5);
        if let Some(cutoff) = cutoff
            && (self.blend.is_none() || is_solid)
        {
            (material.alpha, material.cutoff) = (Alpha::Mask, cutoff);
            return true;
        }
        let Some((source, destination)) = self.blend else { return true };
        material.alpha = Alpha::Blend;
        use BlendFactor::{DstColor, One, OneMinusSrcAlpha, OneMinusSrcColor, SrcAlpha, SrcColor, Zero};
        material.texture_alpha = match (source, destination) {
            (SrcAlpha, OneMinusSrcAlpha) => return true,
            (One, One | OneMinusSrcColor) | (DstColor, One) => TextureAlpha::Add,
            (SrcAlpha, One) => TextureAlpha::AddAlpha,
            (DstColor, Zero) | (Zero, SrcColor) => TextureAlpha::Multiply,
            (DstColor, SrcColor) => TextureAlpha::Multiply2x,
            (Zero, OneMinusSrcColor) => TextureAlpha::MultiplyInverse,
            _ => TextureAlpha::Stored,
        };
        false
    }
}

/// Converts a component of an sRGB color to linear. Engines of that time multiply stored colors.
pub(super) fn to_linear(value: f32) -> f32 {
    let value = value.clamp(0.0, 1.0);
    if value <= 0.04045 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
}
