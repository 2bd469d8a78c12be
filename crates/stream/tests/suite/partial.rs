//! Partially loaded models.

use std::sync::Arc;
use std::thread;

use bytes::Bytes;
use meshlens_source::Source;
use meshlens_stream::{Part, PartialModel, Plan};

use crate::common::{cut, file};

/// A model with these parts loaded, from buffers that `own` makes.
fn load(bytes: &[u8], parts: &[Part], own: impl Fn(Vec<u8>) -> Bytes) -> PartialModel {
    let mut model = PartialModel::new(Plan::of(&[bytes]).unwrap());
    for part in parts {
        for range in model.missing(*part) {
            model.insert(range.file, range.start, own(cut(bytes, range.range())));
        }
    }
    model
}

#[test]
fn bytes_may_have_any_owner() {
    let bytes = file("md3/animated.md3");
    let wanted = [Part::Frame { mesh: 0, frame: 1 }];
    let owners: [fn(Vec<u8>) -> Bytes; 4] = [
        Bytes::from,
        |bytes| Bytes::from(bytes.into_boxed_slice()),
        |bytes| Bytes::from_owner(Arc::<[u8]>::from(bytes)),
        |bytes| Bytes::from_owner(Source::from_vec(bytes)),
    ];
    let expected = load(&bytes, &[Part::Whole], Bytes::from);
    let expected = expected.document().unwrap().into_mesh(0).unwrap().unwrap().positions(1).unwrap().to_vec();
    for own in owners {
        let model = load(&bytes, &wanted, own);
        let mesh = model.document().unwrap().into_mesh(0).unwrap().unwrap();
        assert_eq!(mesh.positions(1).unwrap().to_vec(), expected);
        assert_eq!(mesh.positions(0).unwrap_err().code(), "INCOMPLETE");
        assert_eq!(mesh.topology().unwrap_err().code(), "INCOMPLETE");
    }
}

#[test]
fn a_model_can_be_stored_sent_and_dropped() {
    fn is_free<T: Send + Sync + Clone + 'static>(_: &T) {}
    struct Entity {
        model: PartialModel,
    }

    let bytes = file("u3d/v2_levels.u3d");
    let entity = Entity { model: load(&bytes, &[Part::Lod { lod: 1 }], Bytes::from) };
    is_free(&entity.model);
    let other = entity.model.clone();
    let found = thread::spawn(move || {
        let plan = entity.model.plan();
        let mesh = (0..plan.mesh_count()).find(|mesh| plan.located().lod(*mesh) == 1).unwrap();
        let mesh = entity.model.document().unwrap().into_mesh(mesh).unwrap().unwrap();
        mesh.positions(0).unwrap().len() == mesh.point_count() && mesh.topology().is_ok()
    });
    assert!(found.join().unwrap());
    assert!(other.has(Part::Lod { lod: 1 }) && !other.has(Part::Lod { lod: 0 }));
}

#[test]
fn arrays_are_listed_as_they_arrive() {
    let bytes = file("md3/multi_surface.md3");
    let mut model = load(&bytes, &[], Bytes::from);
    let all = meshlens::Document::parse(&bytes).unwrap().arrays().count();
    let count = |model: &PartialModel| {
        let document = model.document().unwrap();
        assert_eq!(document.arrays().count(), all);
        document.arrays().filter(Result::is_ok).count()
    };
    assert_eq!(count(&model), 0);
    for range in model.missing(Part::Texcoords { mesh: 1 }) {
        model.insert(range.file, range.start, cut(&bytes, range.range()));
    }
    assert_eq!(count(&model), 1);
    model.insert(0, 0, bytes.clone());
    assert_eq!(count(&model), all);
    assert_eq!(model.model().unwrap().meshes.len(), model.plan().mesh_count());
}

#[test]
fn parts_are_merged_and_dropped() {
    let bytes = file("md3/animated.md3");
    let (first, second) = (Part::Frame { mesh: 0, frame: 0 }, Part::Texcoords { mesh: 0 });
    let mut model = load(&bytes, &[first], Bytes::from);
    model.merge(&load(&bytes, &[second], Bytes::from));
    assert!(model.has(first) && model.has(second) && !model.has(Part::Whole));
    assert_eq!(model.model().unwrap_err().code(), "INCOMPLETE");
    model.keep(&[second]);
    assert!(!model.has(first) && model.has(second));
    assert_eq!(model.bytes(), model.plan().part(second).unwrap().stored_size());
    assert!(!model.has(Part::Skeleton), "which the model does not have");
}

/// The numbers of levels of detail are fields of the file.
#[test]
fn a_model_has_the_levels_of_its_meshes_and_no_others() {
    use meshlens::u3d::{U3d, write};

    let mut file = write::Model::try_from(&U3d::parse(&file("u3d/v2_levels.u3d")).unwrap()).unwrap();
    for mesh in file.meshes.iter_mut().filter(|mesh| mesh.lod_index > 0) {
        mesh.lod_index = u32::MAX - 1;
    }
    let bytes = file.write().unwrap();
    let level = |lod| load(&bytes, &[Part::Model { lod }], Bytes::from);
    assert_eq!(level(0).plan().lod_count(), u32::MAX as usize);
    for lod in [0, u32::MAX] {
        assert_eq!(level(lod).model().unwrap().meshes.len(), 4);
    }
    assert!(level(0).missing(Part::Model { lod: 1 }).is_empty(), "the coarsest level up to 1");
    let error = load(&bytes, &[Part::Header], Bytes::from).model().unwrap_err();
    assert_eq!(error.code(), "INCOMPLETE");
}

#[test]
fn bounds_equal_those_of_the_document() {
    for name in ["md3/animated.md3", "unigine/box_ms11.mesh", "u3d/v2_static.u3d"] {
        let bytes = file(name);
        let model = load(&bytes, &[Part::Bounds], Bytes::from);
        let bounds = meshlens::Document::parse(&bytes).unwrap().bounds();
        assert!(bounds.is_some());
        assert_eq!(model.bounds().unwrap(), bounds, "{name}");
        assert_eq!(load(&bytes, &[], Bytes::from).bounds().unwrap_err().code(), "INCOMPLETE");
    }
    let animation = file("unigine/wave_an10.anim");
    let bounds = load(&animation, &[Part::Whole], Bytes::from).bounds();
    assert_eq!(bounds.unwrap(), None, "there is nothing to bound");
}

#[test]
fn packed_geometry_is_one_block() {
    let bytes = file("unigine/blocks_packed.mesh");
    let plan = Plan::of(&[&bytes]).unwrap();
    let mesh = Part::Mesh { mesh: 0, frame: 0 };
    let model = load(&bytes, &[mesh], Bytes::from);
    assert!(plan.part(mesh).unwrap().decoded_size() > plan.part(mesh).unwrap().stored_size());
    let found = model.document().unwrap().into_mesh(0).unwrap().unwrap();
    let whole = meshlens::Model::parse(&bytes).unwrap();
    assert_eq!(found.positions(0).unwrap().to_vec(), whole.meshes[0].positions(0).unwrap().to_vec());
    assert_eq!(found.topology().unwrap(), {
        let mut topology = meshlens::model::Topology::default();
        found.topology_into(&mut topology).unwrap();
        topology
    });
}
