//! How a shader changes a material, and which losses it reports.

use meshlens::Report;
use meshlens_assets::material::{Alpha, Material, ShaderScript, TextureAlpha, TextureCoordinates, Wrap};

fn apply(body: &str) -> (Material, Option<String>, Vec<String>) {
    let script = ShaderScript::parse(format!("x\n{{\n{body}\n}}").as_bytes()).unwrap();
    assert_eq!(script.fault_count, 0, "{:?}", script.faults);
    let mut material = Material::new("x");
    let mut losses = Report::default();
    script.shaders[0].apply(&mut material, &mut losses);
    let lines = losses.groups().map(ToString::to_string).collect();
    (material, script.shaders[0].image().map(String::from), lines)
}

#[test]
fn the_first_stage_decides_whether_the_surface_is_opaque() {
    let (material, image, lost) = apply("{ map a.tga }\n{ map b.tga blendFunc blend }");
    assert_eq!((material.alpha, image.as_deref()), (Alpha::Opaque, Some("a.tga")));
    assert_eq!(lost, ["info SHADER_STAGE_LOST: shader x: 1 of 2 stages (shader x)"]);
    // An environment map drawn under a skin with holes: the material shows the skin, and the surface has no
    // holes.
    let (material, image, lost) =
        apply("{ map env.tga tcGen environment }\n{ map a.tga blendFunc blend rgbGen lightingDiffuse }");
    assert_eq!((material.alpha, image.as_deref()), (Alpha::Opaque, Some("a.tga")));
    assert!(!material.unlit && lost.len() == 1);
    // Ignoring a lightmap is not a loss.
    let (material, image, lost) = apply("{ map $lightmap }\n{ map a.tga blendFunc filter }");
    assert_eq!((material.alpha, image.as_deref(), lost.len()), (Alpha::Opaque, Some("a.tga"), 0));
    assert!(!material.unlit);
}

#[test]
fn alpha_tests_become_masks() {
    let mask = |line: &str| {
        let (material, _, lost) = apply(&format!("{{ map a.tga {line} }}"));
        (material.alpha, material.cutoff, lost.len())
    };
    assert_eq!(mask("alphaFunc GE128"), (Alpha::Mask, 0.5, 0));
    assert_eq!(mask("alphaFunc GE192"), (Alpha::Mask, 0.75, 0));
    assert_eq!(mask("alphaFunc GT0"), (Alpha::Mask, 1.0 / 255.0, 0));
    assert_eq!(mask("alphaFunc LT128"), (Alpha::Opaque, 0.5, 1));
    // If edges are also blended, the material is still a mask if the surface is meant to be solid.
    assert_eq!(mask("blendFunc blend alphaFunc GE128"), (Alpha::Mask, 0.5, 0));
    assert_eq!(mask("blendFunc blend alphaFunc GT0 depthWrite"), (Alpha::Mask, 1.0 / 255.0, 0));
    assert_eq!(mask("blendFunc blend alphaFunc GT0"), (Alpha::Blend, 0.5, 0));
}

#[test]
fn blend_modes_determine_the_source_of_the_alpha() {
    let blend = |factors: &str| {
        let (material, _, lost) = apply(&format!("{{ map a.tga blendFunc {factors} }}"));
        assert_eq!(material.alpha, Alpha::Blend);
        (material.texture_alpha, lost.len())
    };
    assert_eq!(blend("blend"), (TextureAlpha::Stored, 0));
    assert_eq!(blend("add"), (TextureAlpha::Add, 1));
    assert_eq!(blend("GL_SRC_ALPHA GL_ONE"), (TextureAlpha::AddAlpha, 1));
    assert_eq!(blend("filter"), (TextureAlpha::Multiply, 1));
    assert_eq!(blend("GL_ZERO GL_SRC_COLOR"), (TextureAlpha::Multiply, 1));
    assert_eq!(blend("GL_DST_COLOR GL_SRC_COLOR"), (TextureAlpha::Multiply2x, 1));
    assert_eq!(blend("GL_ZERO GL_ONE_MINUS_SRC_COLOR"), (TextureAlpha::MultiplyInverse, 1));
    assert_eq!(blend("GL_ONE GL_ONE_MINUS_SRC_ALPHA"), (TextureAlpha::Stored, 1));
}

#[test]
fn culling_lighting_and_color_are_converted() {
    assert!(!apply("{ map a }").0.two_sided);
    assert!(apply("cull disable\n{ map a }").0.two_sided);
    let (material, _, lost) = apply("cull back\n{ map a }");
    assert!(material.two_sided && lost[0].contains("SHADER_CULL_LOST"));
    // If a stage does not mention light, engines draw it at full brightness.
    assert!(apply("{ map a }").0.unlit);
    assert!(!apply("{ map a rgbGen lightingDiffuse }").0.unlit);
    assert!(!apply("{ map a rgbGen vertex }").0.unlit);
    // A stored value of one half (sRGB) is less than a quarter of the light.
    let (material, ..) = apply("{ map a rgbGen const ( 1 0.5 0 ) alphaGen const 0.25 }");
    let [r, g, b, a] = material.color;
    assert_eq!((r, b, a), (1.0, 0.0, 0.25));
    assert!((g - 0.2140).abs() < 1e-4, "{g}");
    assert_eq!(apply("{ clampMap a }").0.wrap, [Wrap::Clamp; 2]);
    assert_eq!(apply("{ map a }").0.wrap, [Wrap::Repeat; 2]);
}

#[test]
fn properties_that_a_material_cannot_show_are_listed() {
    let (_, image, lost) = apply(
        "deformVertexes wave 1 sin 0 1 0 1\nfogparms ( 1 1 1 ) 10\n{ animMap 5 a.tga b.tga\ntcMod scroll 1 1 rgbGen wave sin 0 1 0 1 }",
    );
    assert_eq!(image.as_deref(), Some("a.tga"));
    assert_eq!(
        lost,
        [
            "info SHADER_ANIMATION_LOST: 2 animated images and colors of shaders; first shader x",
            "info SHADER_DEFORM_LOST: shader x: deformVertexes wave (shader x)",
            "info SHADER_EFFECT_LOST: shader x: fogparms (shader x)",
            "info SHADER_TEXCOORD_LOST: shader x: tcMod scroll (shader x)",
        ]
    );
}

#[test]
fn nodraw_hides_a_surface_that_has_nothing_to_draw() {
    assert!(apply("surfaceparm nodraw").0.hidden);
    // Engines ignore `nodraw` for models that have stages.
    assert!(!apply("surfaceparm nodraw\n{ map a }").0.hidden);
}

#[test]
fn environment_maps_and_sprites_are_recognized() {
    let coordinates = |body: &str| apply(body).0.texture_coordinates;
    assert_eq!(coordinates("{ map a.tga tcGen environment }"), TextureCoordinates::Environment);
    assert_eq!(coordinates("{ map a.tga }"), TextureCoordinates::Stored);
    // The first stage that is not an environment map is shown.
    let under = "{ map env.tga tcGen environment }\n{ map a.tga blendFunc add }";
    assert_eq!(coordinates(under), TextureCoordinates::Stored);
    assert!(apply("deformVertexes autosprite\n{ map a.tga }").0.sprites);
    assert!(!apply("deformVertexes wave 10 sin 0 3 0 1\n{ map a.tga }").0.sprites);
}
