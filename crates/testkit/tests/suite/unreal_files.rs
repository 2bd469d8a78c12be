//! Complete files: the files of `MESHLENS_REAL` if it is set, otherwise the files of the corpus.

use std::fs;

use meshlens::dump::{Arrays, Dump};
use meshlens::{Document, Report, Severity};
use meshlens_testkit::{check, corpus, real};
use meshlens_unreal::script::Script;
use meshlens_unreal::{LayoutRule, ParseOptions, Unreal, validate, write};

fn open<'a>(path: &str, geometry: &'a [u8], frames: &'a [u8]) -> Option<Unreal<'a>> {
    match Unreal::parse_with(geometry, frames, &ParseOptions::LENIENT) {
        Ok(unreal) => Some(unreal),
        // A few real pairs have matching names, but contents that do not match.
        Err(error) if error.code() == "MISMATCH" => None,
        Err(error) => panic!("{path}: {error}"),
    }
}

#[test]
fn every_pair_opens_and_survives_a_rewrite() {
    let pairs = real::unreal_pairs_or_corpus();
    let (mut opened, all) = (0, pairs.len());
    for (path, geometry, frames) in pairs {
        let Some(unreal) = open(&path, &geometry, &frames) else { continue };
        opened += 1;
        if !real::is_chosen(opened) {
            continue;
        }
        check::unreal_geometry(&geometry);
        check::unreal_frames(&frames);
        check::unreal_files(&geometry, &frames);

        let model = write::Model::from(&unreal);
        let files = model.write_as_is().unwrap_or_else(|error| panic!("{path}: {error}"));
        let again = Unreal::parse(&files.geometry, &files.frames).unwrap();
        let dump = |unreal: &Unreal<'_>| {
            let mut dump = serde_json::to_value(Dump::new(&Document::Unreal(*unreal), Arrays::Full)).unwrap();
            // The output is canonical, independent of the layout rule of the input.
            dump.as_object_mut().unwrap().remove("rule");
            dump
        };
        assert!(dump(&again) == dump(&unreal), "{path}: a rewrite changed the content");
        assert!(matches!(again.rule(), LayoutRule::Packed | LayoutRule::Wide));
    }
    assert!(opened >= 9 && opened * 100 >= all * 99, "{opened} of {all} pairs open");
}

#[test]
fn every_pair_agrees_with_an_independent_reader() {
    real::assert_expected("unreal", |path| {
        let (geometry, frames) = (fs::read(path).unwrap(), real::unreal_frames(path).unwrap());
        let document = Document::parse_pair(&geometry, &frames).unwrap();
        serde_json::to_value(Dump::new(&document, Arrays::Stats)).unwrap()
    });
}

#[test]
fn only_known_kinds_of_broken_content_occur() {
    let known: &[&str] =
        if real::folder().is_some() { &["FRAMES_TRUNCATED", "INDEX_OUT_OF_RANGE"] } else { &[] };
    for (path, geometry, frames) in real::unreal_pairs_or_corpus() {
        let Some(unreal) = open(&path, &geometry, &frames) else { continue };
        let mut report = Report::default();
        validate(&unreal, &mut report);
        let errors = report.findings().filter(|finding| finding.severity == Severity::Error);
        let unknown: Vec<_> = errors.filter(|finding| !known.contains(&finding.code)).collect();
        assert!(unknown.is_empty(), "{path}: {unknown:?}");
    }
}

#[test]
fn normals_of_closed_shapes_point_outwards() {
    let mut scratch = meshlens_unreal::NormalScratch::default();
    for (path, geometry, frames) in corpus::unreal_pairs() {
        let unreal = open(&path, &geometry, &frames).expect("a pair");
        let mut normals = vec![[0.0; 3]; unreal.vertex_count()];
        unreal.smooth_normals_into(0, unreal.unit_scale(), &mut scratch, &mut normals).unwrap();
        if !path.contains("ring") {
            continue;
        }
        // A torus of radius 8 around Z. Its outside faces away from the nearest point of its core.
        for (position, normal) in unreal.unit_positions(0).unwrap().iter().zip(&normals) {
            let reach = (position[0] * position[0] + position[1] * position[1]).sqrt();
            let core = [position[0] / reach * 8.0, position[1] / reach * 8.0, 0.0];
            let outwards: f32 = (0..3).map(|axis| (position[axis] - core[axis]) * normal[axis]).sum();
            assert!(outwards > 2.0, "{path}: {position:?} {normal:?}");
        }
    }
}

#[test]
fn every_script_parses() {
    let scripts = real::files_or_corpus("unreal", &[".uc"]);
    let (mut meshes, mut sequences, mut faults) = (0u64, 0, 0);
    for (path, bytes) in scripts {
        check::uc_script(&bytes);
        let script = Script::parse_with(&bytes, &ParseOptions::LENIENT).unwrap();
        faults += script.fault_count();
        for mesh in script.meshes() {
            let import = mesh.import();
            assert!(import.geometry_file.to_text().to_lowercase().ends_with(".3d"), "{path}: {import:?}");
            meshes += 1;
            sequences += mesh.sequences().len();
        }
    }
    assert!(meshes >= 3 && sequences >= 4, "{meshes} meshes, {sequences} sequences");
    assert!(faults * 100 <= meshes + sequences as u64, "{faults} faulty lines");
}
