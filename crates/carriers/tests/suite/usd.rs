//! USD as text.

use meshlens::Report;
use meshlens::model::{Clip, Material, Model};
use meshlens::scene::Scene;
use meshlens::wire::Budget;
use meshlens_carriers::usd::{Options, write};
use meshlens_testkit::corpus;

fn text(scene: &Scene<'_>, name: &str, options: &Options<'_>) -> (String, Report) {
    let mut text = Vec::new();
    let losses = write(scene, name, options, &mut text).unwrap();
    (String::from_utf8(text).unwrap(), losses)
}

/// The lines that begin with `start`, without indentation.
fn lines<'t>(text: &'t str, start: &str) -> Vec<&'t str> {
    text.lines().map(str::trim).filter(|line| line.starts_with(start)).collect()
}

#[test]
fn every_frame_is_a_time_sample() {
    let bytes = meshlens::md3::write::sample(&[4.0, 8.5]).unwrap();
    let mut model = Model::parse(&bytes).unwrap();
    model.clips = vec![
        Clip::new("up \"now\"", 0, 2, 15.0),
        Clip::new("still", 1, 1, 10.0),
        Clip::new("slow", 0, 2, 5.0),
    ];
    let scene = Scene::from(model);
    let (text, losses) = text(&scene, "my flag", &Options { scale: 2.0, ..Options::default() });
    let header = [
        "defaultPrim = \"my_flag\"",
        "metersPerUnit = 0.0127",
        "timeCodesPerSecond = 15",
        "startTimeCode = 0",
        "endTimeCode = 1",
        "upAxis = \"Y\"",
    ];
    for line in header {
        assert_eq!(lines(&text, line.split(' ').next().unwrap()), [line]);
    }
    assert_eq!(lines(&text, "def Xform"), ["def Xform \"my_flag\" ("]);
    assert!(text.contains("displayName = \"my flag\""));
    // The corners of the triangle, twice as large: the third rises from 8 to 17 along Y.
    let points = ["[(0, 0, 0), (16, 0, 0), (0, 8, 0)]", "[(0, 0, 0), (16, 0, 0), (0, 17, 0)]"];
    assert_eq!(lines(&text, "point3f[] points = "), [format!("point3f[] points = {}", points[0])]);
    assert_eq!(lines(&text, "0: ")[0], format!("0: {},", points[0]));
    assert_eq!(
        lines(&text, "1: ")[..2],
        [format!("1: {},", points[1]), "1: [(0, 0, 0), (16, 17, 0)],".into()]
    );
    assert_eq!(
        lines(&text, "texCoord2f[]"),
        ["texCoord2f[] primvars:st = [(0, 1), (1, 1), (0, 0)] (interpolation = \"vertex\")"]
    );
    assert_eq!(lines(&text, "dictionary up__now_"), ["dictionary up__now_ = {"]);
    assert_eq!(lines(&text, "string name")[0], "string name = \"up \\\"now\\\"\"");
    let rates: Vec<&str> = losses.findings().map(|loss| loss.message.as_str()).collect();
    assert!(rates.contains(&"clip slow: 5 frames per second, and the file plays 15"), "{rates:?}");
}

#[test]
fn materials_and_textures_are_preview_surfaces() {
    let bytes = meshlens::md3::write::sample(&[4.0]).unwrap();
    let mut model = Model::parse(&bytes).unwrap();
    model.materials = vec![Material {
        texture: Some("models/flag".into()),
        alpha: meshlens::model::Alpha::Mask,
        two_sided: true,
        nearest: true,
        color: [0.5, 1.0, 1.0, 1.0],
        ..Material::new("models/flag")
    }];
    model.meshes[0].material = Some(0);
    let scene = Scene::from(model);
    let find = |material: &Material| Some(format!("{}.png", material.texture.as_deref().unwrap()));
    let (text, losses) = text(&scene, "flag", &Options { textures: Some(&find), ..Options::default() });
    let wanted = [
        "def Material \"models_flag\" (",
        "asset inputs:file = @models/flag.png@",
        "float4 inputs:scale = (0.5, 1, 1, 1)",
        "float inputs:opacityThreshold = 0.5",
        "color3f inputs:diffuseColor.connect = </flag/Materials/models_flag/Texture.outputs:rgb>",
        "uniform bool doubleSided = 1",
    ];
    for line in wanted {
        assert_eq!(lines(&text, line), [line], "{text}");
    }
    let losses: Vec<&str> = losses.findings().map(|loss| loss.message.as_str()).collect();
    assert!(losses.contains(&"material models/flag: its lack of filtering"), "{losses:?}");
}

#[test]
fn joints_are_a_skeleton_that_moves() {
    let (_, bytes) = corpus::with_extension(&["skinned_ms11.mesh"]).remove(0);
    let model = Model::parse(&bytes).unwrap();
    let (joints, frames) = (model.joints.len(), model.clips.iter().map(|clip| clip.count).sum::<usize>());
    assert!(joints > 1 && frames > 1);
    let scene = Scene::from(model);
    let (text, losses) = text(&scene, "figure", &Options::default());
    assert_eq!(lines(&text, "def SkelRoot").len(), 1);
    // The scene at rest, and the frames of each clip after it.
    assert_eq!(lines(&text, "endTimeCode"), [format!("endTimeCode = {frames}")]);
    let names = lines(&text, "uniform token[] joints = ")[0];
    assert_eq!(names.matches('"').count(), 2 * joints);
    assert_eq!(lines(&text, "point3f[] points.timeSamples"), [""; 0]);
    assert_eq!(lines(&text, "quatf[] rotations.timeSamples = {").len(), 1);
    assert!(losses.findings().all(|loss| loss.code != "SKELETON_BAKED"));
}

#[test]
fn memory_is_charged() {
    let bytes = meshlens::md3::write::sample(&[4.0]).unwrap();
    let scene = Scene::from(Model::parse(&bytes).unwrap());
    let budget = Budget::new(100);
    let options = Options { budget: Some(&budget), ..Options::default() };
    let error = write(&scene, "flag", &options, &mut std::io::sink()).err().unwrap();
    assert!(error.to_string().contains("mesh flag"), "{error}");
}
