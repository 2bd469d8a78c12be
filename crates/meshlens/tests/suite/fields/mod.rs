//! Every field of a file is in its model, is a loss, or follows from the other fields. The fields are those of the writers,
//! which write every byte of a file.

mod material;
mod md3;
mod u3d;
mod unigine;
mod unreal;

use std::fmt::Write;

use meshlens::{Model, Report};

/// What becomes of a field.
enum Fate {
    /// The model has it.
    Kept,
    /// No model has it, and the losses name it.
    Lost(&'static str),
    /// It follows from other fields, or readers ignore it.
    Computed,
}

/// A file that differs from `base` in one field.
struct Change<M> {
    field: &'static str,
    base: fn() -> M,
    fate: Fate,
    set: fn(&mut M),
}

/// Adds the changes of a struct to a list. Does not compile if one of its fields is missing.
macro_rules! fields {
    ($changes:ident, $type:path { $($field:ident: $([$base:expr, $fate:expr, $set:expr]),+;)* }) => {
        let _ = |$type { $($field: _),* }: &$type| {};
        $($($changes.push(super::Change {
            field: concat!(stringify!($type), ".", stringify!($field)),
            base: $base,
            fate: $fate,
            set: $set,
        });)+)*
    };
}
use fields;

/// Everything that a model has.
fn content(model: &Model<'_>) -> String {
    let mut out = format!("{:?}", (&model.name, model.space, &model.materials, &model.tags, &model.joints));
    let rest = (&model.clips, model.placement, &model.lod_distances, &model.frame_names);
    write!(out, "{rest:?}").unwrap();
    for frame in 0..model.tag_frame_count() {
        let poses = (0..model.tags.len()).map(|tag| model.tag_pose(tag, frame));
        write!(out, "{:?}", poses.collect::<Vec<_>>()).unwrap();
    }
    for animation in &model.animations {
        let mut frames = Vec::new();
        animation.frames_into(0..animation.frame_count(), &mut frames);
        write!(out, "{:?}", (&animation.name, &animation.joints, frames)).unwrap();
    }
    for mesh in &model.meshes {
        write!(out, "{:?}", (&mesh.name, mesh.lod, mesh.material, &mesh.skin, mesh.topology())).unwrap();
        let (mut joints, mut weights, mut sets) = (Vec::new(), Vec::new(), Vec::new());
        mesh.influences_into(&mut joints, &mut weights).unwrap();
        for set in 0..mesh.texcoord_sets() {
            mesh.texcoords_into(set, &mut sets).unwrap();
            write!(out, "{sets:?}").unwrap();
        }
        let mut colors = Vec::new();
        mesh.colors_into(0, &mut colors).unwrap();
        write!(out, "{:?}", (joints, weights, colors)).unwrap();
        for frame in 0..mesh.frame_count() {
            let (mut normals, mut tangents) = (Vec::new(), Vec::new());
            mesh.normals_into(frame, &mut normals).unwrap();
            mesh.tangents_into(frame, &mut tangents).unwrap();
            let positions = mesh.positions(frame).unwrap().to_vec();
            write!(out, "{:?}", (mesh.frame_name(frame), positions, normals, tangents)).unwrap();
        }
    }
    out
}

/// The content of a model and the codes of its losses.
fn seen(model: &Model<'_>) -> (String, Vec<&'static str>) {
    let mut losses = Report::default();
    model.losses(&mut losses);
    (content(model), losses.groups().map(|group| group.code.name).collect())
}

/// Checks each change. `see` writes a file, and returns its bytes and what [`seen`] returns.
fn check<M>(changes: Vec<Change<M>>, see: impl Fn(&M) -> (Vec<u8>, (String, Vec<&'static str>))) {
    let mut faults = Vec::new();
    for Change { field, base, fate, set } in changes {
        let mut file = base();
        let (before, (content, lost)) = see(&file);
        set(&mut file);
        let (after, (changed, more)) = see(&file);
        let is_kept = content != changed;
        let news: Vec<&str> = more.iter().filter(|code| !lost.contains(code)).copied().collect();
        let is_right = match fate {
            Fate::Kept => is_kept && news.is_empty(),
            Fate::Lost(code) => news == [code],
            Fate::Computed => !is_kept && news.is_empty(),
        };
        if before == after || !is_right {
            faults.push(format!("{field}: written {}, kept {is_kept}, lost {news:?}", before != after));
        }
    }
    assert!(faults.is_empty(), "{faults:#?}");
}
