//! Shader scripts, intact and damaged.

use meshlens::Limits;
use meshlens_assets::material::{
    AlphaTest, BlendFactor, ColorGen, Cull, MAX_STAGES, Shader, ShaderScript, Stage, StageImage,
};

fn parse(text: &str) -> ShaderScript {
    ShaderScript::parse(text.as_bytes()).unwrap()
}

fn one(text: &str) -> Shader {
    let script = parse(text);
    assert_eq!((script.shaders.len(), script.fault_count), (1, 0), "{:?}", script.faults);
    script.shaders.into_iter().next().unwrap()
}

fn stage(body: &str) -> Stage {
    one(&format!("a\n{{\n{{\n{body}\n}}\n}}")).stages.remove(0)
}

fn names(script: &ShaderScript) -> Vec<&str> {
    script.shaders.iter().map(|shader| shader.name.as_str()).collect()
}

#[test]
fn a_shader_with_everything() {
    let text = "// comment\r\n\
        Models/Players/X/Hair.tga // another\r\n\
        {\r\n\
        \tqer_editorimage textures/x/editor.tga\r\n\
        \tq3map_surfacelight 1000\r\n\
        \tsurfaceparm trans\r\n\
        \tsurfaceparm NoDraw\r\n\
        \tdeformVertexes wave 100 sin 3 0 0 0\r\n\
        \tdeformVertexes autosprite2\r\n\
        \tcull TwoSided\r\n\
        \tsort 9\r\n\
        \tskyparms env/x - -\r\n\
        \t{\r\n\
        \t\tclampmap models/x.tga\r\n\
        \t\tBlendFunc GL_SRC_ALPHA GL_ONE_MINUS_SRC_ALPHA\r\n\
        \t\tALPHAFUNC ge128\r\n\
        \t\tdepthWrite\r\n\
        \t\trgbGen const ( 0.5 .25 1 )\r\n\
        \t\talphaGen wave sin .5 .5 0 1\r\n\
        \t\ttcGen environment\r\n\
        \t\ttcMod scroll 1 2\r\n\
        \t\ttcMod rotate 30\r\n\
        \t}\r\n\
        }\r\n";
    let shader = one(text);
    let expected = Shader {
        name: "Models/Players/X/Hair.tga".into(),
        offset: 12,
        // Before the last line break.
        end: text.len() as u64 - 2,
        cull: Cull::None,
        is_no_draw: true,
        effects: vec!["skyparms".into()],
        deforms: vec!["wave".into(), "autosprite2".into()],
        editor_image: Some("textures/x/editor.tga".into()),
        stage_count: 1,
        stages: vec![Stage {
            image: StageImage::File("models/x.tga".into()),
            is_clamped: true,
            blend: Some((BlendFactor::SrcAlpha, BlendFactor::OneMinusSrcAlpha)),
            alpha_test: Some(AlphaTest::AtLeastHalf),
            writes_depth: true,
            rgb_gen: ColorGen::Constant([0.5, 0.25, 1.0]),
            alpha_gen: ColorGen::Other("wave".into()),
            texcoord_gen: Some("environment".into()),
            texcoord_mods: vec!["scroll".into(), "rotate".into()],
        }],
    };
    assert_eq!(shader, expected);
}

#[test]
fn images_of_every_kind() {
    let image = |line: &str| stage(line).image;
    assert_eq!(image("map $LightMap"), StageImage::Lightmap);
    assert_eq!(image("map $whiteimage"), StageImage::White);
    assert_eq!(image("map *white"), StageImage::White);
    assert_eq!(image("map \"a b/c.tga\""), StageImage::File("a b/c.tga".into()));
    assert_eq!(image("animMap 10 a.tga b.tga c.tga"), StageImage::Frames { first: "a.tga".into(), count: 3 });
    assert_eq!(image("videoMap intro.roq"), StageImage::Video("intro.roq".into()));
    assert_eq!(image("rgbGen vertex"), StageImage::Missing);
}

#[test]
fn words_of_blending_and_color() {
    use BlendFactor::{DstColor, One, OneMinusSrcAlpha, SrcAlpha, Zero};
    let blend = |line: &str| stage(line).blend;
    assert_eq!(blend("blendfunc add"), Some((One, One)));
    assert_eq!(blend("blendfunc filter"), Some((DstColor, Zero)));
    assert_eq!(blend("blendfunc blend"), Some((SrcAlpha, OneMinusSrcAlpha)));
    assert_eq!(blend("blendfunc gl_dst_color gl_zero"), Some((DstColor, Zero)));
    // These factors replace the earlier stage, like a stage without blending.
    assert_eq!(blend("blendfunc GL_ONE GL_ZERO"), None);
    assert_eq!(stage("rgbGen lightingDiffuse").rgb_gen, ColorGen::Lighting);
    assert_eq!(stage("rgbGen exactVertex").rgb_gen, ColorGen::Vertex);
    assert_eq!(stage("rgbGen identityLighting").rgb_gen, ColorGen::Other("identityLighting".into()));
    assert_eq!(stage("alphaGen const 0.25").alpha_gen, ColorGen::Constant([0.25, 0.0, 0.0]));
    assert_eq!(stage("tcGen base").texcoord_gen, None);
}

#[test]
fn statements_may_share_a_line() {
    let shader = one(
        "a { cull none\n{ map b.tga rgbGen wave sin 0 1 0 .5 blendFunc add tcMod scale 2 2 tcMod rotate 5 } }",
    );
    let stage = &shader.stages[0];
    assert_eq!(stage.image, StageImage::File("b.tga".into()));
    assert_eq!(stage.rgb_gen, ColorGen::Other("wave".into()));
    assert_eq!(stage.blend, Some((BlendFactor::One, BlendFactor::One)));
    assert_eq!(stage.texcoord_mods, ["scale", "rotate"]);
}

#[test]
fn a_missing_brace_does_not_affect_other_shaders() {
    // The stage is not closed.
    let script = parse("a/b\n{\n\t{\n\t\tmap a.tga\n}\n\nc/d\n{\n\t{\n\t\tmap c.tga\n\t}\n}\n");
    assert_eq!(names(&script), ["a/b", "c/d"]);
    assert_eq!(script.shaders[0].image(), Some("a.tga"));
    assert_eq!(script.shaders[1].image(), Some("c.tga"));
    assert_eq!(script.fault_count, 1);
    assert_eq!(script.faults[0].to_string(), "shader: expected a brace at the end of the shader at 0x18");
    // Nothing is closed.
    let script = parse("a/b\n{\n{\nmap a.tga\nc/d\n{\n{\nmap c.tga");
    assert_eq!(names(&script), ["a/b", "c/d"]);
    assert_eq!(script.shaders[1].image(), Some("c.tga"));
    // One stage begins in another.
    let script = parse("a\n{\n{\nmap a.tga\n{\nmap b.tga\n}\n}");
    assert_eq!(script.shaders[0].stages.len(), 2);
    // An extra closing brace, and a block without a name.
    let script = parse("a\n{\n}\n}\n{\n{\nmap x\n}\n}\nb\n{\n}");
    assert_eq!(names(&script), ["a", "b"]);
    assert_eq!(script.fault_count, 2);
}

#[test]
fn missing_and_unknown_words_skip_their_line() {
    let script = parse(
        "a\n{\ncull\nsurfaceparm\nfoo bar baz\n{\nmap\nalphaFunc GE77\nblendFunc add2 x\nunknown 1 2 3\nrgbGen\n}\n}\nb { }",
    );
    assert_eq!(names(&script), ["a", "b"]);
    assert_eq!(script.shaders[0].stages, [Stage::default()]);
    let found: Vec<String> = script.faults.iter().map(ToString::to_string).collect();
    assert_eq!(found.len(), 6, "{found:?}");
    assert_eq!(found[0], "shader: expected a side after cull at 0x9");
}

#[test]
fn text_is_latin_1_if_it_is_not_utf_8() {
    let script = ShaderScript::parse(b"\xef\xbb\xbfmodels/h\xe4nd { }").unwrap();
    assert_eq!(names(&script), ["models/händ"]);
    assert!(script.shader("MODELS\\händ.TGA").is_some());
}

#[test]
fn the_first_of_two_shaders_with_one_name_is_used() {
    let script = parse("a/b.tga { cull none }\nA/B { }");
    assert_eq!(script.shader("a/b").unwrap().cull, Cull::None);
}

#[test]
fn the_cost_of_a_script_is_limited() {
    let limits = Limits { count: 3, text: 64, ..Limits::DEFAULT };
    let error = |text: &str| ShaderScript::parse_with(text.as_bytes(), &limits).unwrap_err().to_string();
    assert_eq!(error("a{}\nb{}\nc{}\nd{}"), "shader: shaders: the limit is 3, found 4 at 0xc");
    assert_eq!(error("a{\n{}\n{}\n{}\n{}\n}"), "shader: stages: the limit is 3, found 4 at 0xc");
    assert_eq!(error(&" ".repeat(65)), "shader: bytes of text: the limit is 64, found 65 at 0x0");
    let many = format!("a\n{{\n{}}}", "{\n}\n".repeat(100));
    let shader = one(&many);
    assert_eq!((shader.stages.len(), shader.stage_count), (MAX_STAGES, 100));
}
