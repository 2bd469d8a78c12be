//! The committed texts equal the texts that naga generates from the pieces.

use std::path::Path;

use meshlens_gpu::layout::Limits;
use meshlens_gpu::plan::{MeshPlan, PlanOptions};
use meshlens_gpu::shader::{Joints, MeshLayout};
use meshlens_gpu::{translate, wgsl};

/// Compares a committed text with the generated one, or replaces it if `MESHLENS_WRITE_SHADERS` is set.
fn assert_committed(committed: &str, name: &str, made: &str) {
    if std::env::var_os("MESHLENS_WRITE_SHADERS").is_some() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/translated");
        std::fs::write(folder.join(name), made).unwrap();
        return;
    }
    assert!(committed == made, "{name} is not what naga makes: run this test with MESHLENS_WRITE_SHADERS=1");
}

#[test]
fn committed_hlsl_equals_the_output_of_naga() {
    assert_committed(meshlens_gpu::hlsl(), "pieces.hlsl", &translate::pieces_to_hlsl().unwrap());
}

#[test]
fn committed_glsl_equals_the_output_of_naga() {
    assert_committed(meshlens_gpu::glsl(), "pieces.glsl", &translate::pieces_to_glsl().unwrap());
}

#[test]
fn each_piece_is_valid_with_only_its_dependencies() {
    for piece in wgsl::ALL {
        let mut module = wgsl::Module::new();
        module.add(piece);
        translate::validate(module.as_text()).unwrap_or_else(|error| panic!("{}: {error}", piece.name));
    }
}

#[test]
fn errors_of_the_shader_have_a_location() {
    let error = translate::validate("fn wrong() -> f32 { return 1u; }").unwrap_err().to_string();
    assert!(error.contains("wrong") && error.contains("1:"), "{error}");
}

#[test]
fn shaders_of_the_corpus_are_valid_in_webgl2() {
    let mut shaders = std::collections::BTreeSet::new();
    for path in crate::files::corpus() {
        let Some(files) = crate::files::model_files(&path) else { continue };
        let Some(document) = crate::files::document(&files) else { continue };
        let Ok(model) = meshlens::Model::new(document) else { continue };
        for mesh in &model.meshes {
            let Ok(plan) = MeshPlan::new(mesh, &PlanOptions::default()) else { continue };
            let joints = Joints::Uniform(model.joints.len().max(1) as u32);
            shaders.insert(MeshLayout::new(&plan, &Limits::WEBGL2).shader(joints));
        }
    }
    assert!(shaders.len() >= 8, "{}", shaders.len());
    for shader in &shaders {
        use naga::ShaderStage::{Fragment, Vertex};
        for (stage, entry_point) in [(Vertex, "vertex_main"), (Fragment, "fragment_main")] {
            let text = translate::to_glsl(shader, stage, entry_point).unwrap();
            assert!(text.starts_with("#version 300 es"), "{text}");
        }
        assert!(translate::to_hlsl(shader).unwrap().contains("vertex_main"));
    }
}
