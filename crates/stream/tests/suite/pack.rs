//! Packs: the table saves reads, and never changes a value.

use std::io::Write;
use std::path::Path;
use std::sync::Arc;

use meshlens::lens::Bounds;
use meshlens::md3::write;
use meshlens_assets::{Assets, OpenOptions};
use meshlens_source::{Archive, ArchiveWriter, Source};
use meshlens_stream::backend::{ArchiveBackend, AssetsBackend, Backend, FileBackend};
use meshlens_stream::{
    Bytes, Error, FileName, Part, Plan, PlanTable, PlanTableBuilder, Priority, StreamedModel, Streamer,
    StreamerOptions, TableFile,
};
use meshlens_testkit::corpus;

type Files = Vec<(String, Vec<u8>)>;

/// The models of the corpus: the names and the bytes of their files.
fn models() -> Vec<Files> {
    let single = corpus::with_extension(&[".md3", ".u3d", ".mesh", ".anim"]);
    let pairs = corpus::unreal_pairs().into_iter().map(|(path, geometry, frames)| {
        vec![(format!("{path}.geometry"), geometry), (format!("{path}.frames"), frames)]
    });
    single.into_iter().map(|file| vec![file]).chain(pairs).collect()
}

fn borrowed(files: &Files) -> Vec<(&str, &[u8])> {
    files.iter().map(|(name, bytes)| (&**name, &**bytes)).collect()
}

fn in_table(files: &Files) -> Vec<TableFile<'_>> {
    let file = |(name, bytes): (_, &[u8])| TableFile {
        name,
        len: bytes.len() as u64,
        crc32: crc32fast::hash(bytes),
    };
    borrowed(files).into_iter().map(file).collect()
}

fn table_of(models: &[Files]) -> Vec<u8> {
    let mut builder = PlanTableBuilder::default();
    for files in models {
        // Encrypted models have no plan.
        let _ = builder.add(&borrowed(files));
    }
    builder.finish()
}

/// Writes a pack with a table.
fn pack(path: &Path, models: &[Files], table: &[u8]) {
    let mut writer = ArchiveWriter::create(path, true).unwrap();
    for (name, bytes) in models.iter().flatten() {
        writer.add(name, bytes).unwrap();
    }
    writer.add(PlanTable::NAME, table).unwrap();
    writer.finish().unwrap();
}

fn open(streamer: &Streamer, backend: &Arc<dyn Backend>, files: &Files, folder: &str) -> StreamedModel {
    streamer.open(backend.clone(), files.iter().map(|(name, _)| FileName::from(format!("{folder}{name}"))))
}

/// The bounds, the plan and the bytes of a model. Errors without the name of the file.
type Answer = Result<(Option<Bounds>, Plan, Vec<Bytes>), String>;

fn answer(streamer: &Streamer, model: &StreamedModel) -> Answer {
    let reason = |failed: meshlens_stream::Failed| match failed.error() {
        Error::Format { error, .. } => error.to_string(),
        other => other.to_string(),
    };
    let bounds = streamer.request(model, Part::Bounds, Priority::NORMAL).wait().map_err(reason)?.bounds();
    let whole = streamer.request(model, Part::Whole, Priority::NORMAL).wait().map_err(reason)?;
    let whole = whole.model().unwrap();
    let bytes = whole.files().iter().map(|file| file.get(0..file.file_len()).unwrap()).collect();
    Ok((bounds, whole.plan().clone(), bytes))
}

fn answers(backend: impl Backend, models: &[Files], folder: &str) -> Vec<Answer> {
    let (streamer, backend): (_, Arc<dyn Backend>) =
        (Streamer::new(StreamerOptions::default()).unwrap(), Arc::new(backend));
    let without_folder = |reason: String| reason.replace(folder, "");
    let answer = |files| answer(&streamer, &open(&streamer, &backend, files, folder)).map_err(without_folder);
    models.iter().map(answer).collect()
}

/// The answers for files in a folder.
fn of_files(models: &[Files]) -> Vec<Answer> {
    let folder = tempfile::tempdir().unwrap();
    for (name, bytes) in models.iter().flatten() {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, bytes).unwrap();
    }
    answers(FileBackend::new(2).unwrap(), models, &format!("{}/", folder.path().display()))
}

fn assert_same(models: &[Files], found: &[Answer], expected: &[Answer]) {
    for ((files, found), expected) in models.iter().zip(found).zip(expected) {
        let [short, wanted] = [found, expected].map(|answer| answer.as_ref().map(|(bounds, ..)| bounds));
        assert!(found == expected, "{}: {short:?}, expected {wanted:?}", files[0].0);
    }
}

#[test]
fn a_pack_answers_as_its_files_do_and_knows_bounds_without_a_read() {
    let (models, folder) = (models(), tempfile::tempdir().unwrap());
    let (path, expected) = (folder.path().join("a.pk3"), of_files(&models));
    pack(&path, &models, &table_of(&models));
    assert_same(&models, &answers(ArchiveBackend::open(&path, 2).unwrap(), &models, ""), &expected);

    let backend: Arc<dyn Backend> = Arc::new(ArchiveBackend::open(&path, 2).unwrap());
    let streamer = Streamer::new(StreamerOptions::default()).unwrap();
    for (files, expected) in models.iter().zip(&expected) {
        let model = open(&streamer, &backend, files, "");
        let known = expected.as_ref().ok().and_then(|(bounds, ..)| *bounds);
        assert_eq!(model.bounds(), known, "{}", files[0].0);
        assert!(model.format().is_some() || expected.is_err(), "{}", files[0].0);
    }
    assert_eq!(streamer.statistics().reads, 0);
}

#[test]
fn a_part_of_a_packed_model_takes_one_read() {
    let (models, folder) = (models(), tempfile::tempdir().unwrap());
    let path = folder.path().join("a.pk3");
    let model = models.iter().find(|files| files[0].0.ends_with("md3/animated.md3")).unwrap();
    pack(&path, &models, &table_of(&models));
    let backend: Arc<dyn Backend> = Arc::new(ArchiveBackend::open(&path, 2).unwrap());
    let streamer = Streamer::new(StreamerOptions::default()).unwrap();
    let animated = open(&streamer, &backend, model, "");
    let frame = Part::Frame { mesh: 0, frame: 1 };
    streamer.request(&animated, frame, Priority::NORMAL).wait().unwrap();
    assert_eq!(streamer.statistics().reads, 1);
    assert_eq!(animated.plan(), Some(&Plan::of(&[&model[0].1]).unwrap()));
    assert_eq!(streamer.statistics().bytes_read, animated.plan().unwrap().part(frame).unwrap().stored_size());
}

#[test]
fn a_table_of_other_files_is_not_used() {
    let (models, folder) = (models(), tempfile::tempdir().unwrap());
    let path = folder.path().join("a.pk3");
    let mut changed = models.clone();
    // Other bounds in a file of the same length.
    for (_, bytes) in changed.iter_mut().flatten().filter(|(name, _)| name.ends_with(".md3")) {
        bytes.iter_mut().rev().take(16).for_each(|byte| *byte ^= 1);
        if let Some(byte) = bytes.get_mut(110) {
            *byte ^= 1;
        }
    }
    let table = table_of(&models);
    pack(&path, &changed, &table);
    assert_same(
        &changed,
        &answers(ArchiveBackend::open(&path, 2).unwrap(), &changed, ""),
        &of_files(&changed),
    );
    let known = PlanTable::parse(table.into()).unwrap();
    for (files, before) in changed.iter().zip(&models) {
        assert_eq!(
            known.find(&in_table(files)).is_some(),
            known.find(&in_table(before)).is_some() && files == before
        );
    }
}

#[test]
fn every_prefix_and_every_damaged_byte_of_a_table_is_refused() {
    let models = models();
    let table = table_of(&models[..6]);
    for len in 0..table.len() {
        assert!(PlanTable::parse(table[..len].to_vec().into()).is_err(), "{len} bytes");
    }
    for at in 0..table.len() {
        for change in [1, 0x80, 0xFF] {
            let mut damaged = table.clone();
            damaged[at] ^= change;
            assert!(PlanTable::parse(damaged.into()).is_err(), "byte {at}");
        }
    }
    let longer = [&table[..], &[0]].concat();
    assert!(PlanTable::parse(longer.into()).is_err());
}

/// A table whose checksum is right, whatever it says, is read without a panic; and the bytes of a model are those of its file.
#[test]
fn a_table_that_lies_gives_errors_or_the_bytes_of_the_file() {
    let mut models = models();
    models.retain(|files| files.iter().map(|(_, bytes)| bytes.len()).sum::<usize>() < 2000);
    models.truncate(4);
    let (table, folder) = (table_of(&models), tempfile::tempdir().unwrap());
    let path = folder.path().join("a.pk3");
    pack(&path, &models, &[]);
    let pk3 = std::fs::read(&path).unwrap();
    for at in 16..table.len() {
        let mut lie = table.clone();
        lie[at] ^= 0x41;
        let checksum = crc32fast::hash(&lie[16..]);
        lie[12..16].copy_from_slice(&checksum.to_le_bytes());
        let Ok(table) = PlanTable::parse(lie.clone().into()) else { continue };
        for files in &models {
            table.find(&in_table(files)).and_then(|known| known.headers());
        }
        if at % 37 == 0 {
            let mut zip = zip::ZipWriter::new_append(std::io::Cursor::new(pk3.clone())).unwrap();
            zip.start_file("MESHLENS.plans", zip::write::SimpleFileOptions::default()).unwrap();
            zip.write_all(&lie).unwrap();
            let archive = Archive::open(Source::from_vec(zip.finish().unwrap().into_inner())).unwrap();
            let found = answers(ArchiveBackend::new(archive, 1).unwrap(), &models, "");
            for (found, files) in found.into_iter().zip(&models) {
                let Ok((.., bytes)) = found else { continue };
                assert!(bytes.iter().eq(files.iter().map(|(_, bytes)| bytes)), "byte {at}");
            }
        }
    }
}

#[test]
fn models_with_too_many_headers_have_their_bounds_and_a_full_table_has_no_more() {
    let known = |surfaces: usize| {
        let (mut model, mut surface) =
            (write::Model::new("many").unwrap(), write::Surface::new("flag").unwrap());
        surface.triangles.push([0, 1, 2]);
        surface.texcoords.extend([[0.0; 2]; 3]);
        surface.add_frame(&[[0.0; 3], [0.0, 8.0, 0.0], [8.0; 3]], &[[1.0, 0.0, 0.0]; 3]).unwrap();
        model.frames.push(write::Frame::named("rest").unwrap());
        model.surfaces = vec![surface; surfaces];
        let bytes = model.write().unwrap();
        let found = PlanTableBuilder::default().add(&[("many.md3", &bytes)]).unwrap().unwrap();
        let headers = found.headers().map(|files| files[0].len());
        (found.bounds().is_some(), headers)
    };
    let (few, many) = (known(100), known(2000));
    assert!(few.0 && few.1.is_some_and(|bytes| bytes <= PlanTable::MAX_HEADERS), "{few:?}");
    assert_eq!(many, (true, None));

    let (_, bytes) = corpus::with_extension(&["md3/animated.md3"]).remove(0);
    let size = |name: &str| {
        let mut builder = PlanTableBuilder::default();
        let added = builder.add(&[(name, &bytes)]).unwrap();
        (added.map(|known| known.headers().is_some()), builder.finish().len() as u64)
    };
    let (_, least) = size("");
    let room = (PlanTable::MAX_BYTES - least) as usize;
    assert_eq!(size(&"n".repeat(room)), (Some(true), PlanTable::MAX_BYTES));
    assert_eq!(size(&"n".repeat(room + 1)).0, Some(false), "without headers");
    assert_eq!(size(&"n".repeat(PlanTable::MAX_BYTES as usize)).0, None);
}

#[test]
fn a_pack_that_is_rewritten_beneath_its_reader_is_an_error() {
    let (models, folder) = (models(), tempfile::tempdir().unwrap());
    let path = folder.path().join("a.pk3");
    pack(&path, &models[..4], &table_of(&models[..4]));
    let backend: Arc<dyn Backend> = Arc::new(ArchiveBackend::open(&path, 1).unwrap());
    let mut assets = Assets::new();
    assets.mount_archive(&path).unwrap();
    let by_name = Arc::new(AssetsBackend::new(assets, 1).unwrap());
    let streamer = Streamer::new(StreamerOptions::default()).unwrap();
    let model = open(&streamer, &backend, &models[0], "");
    let scene = streamer.open_scene(&by_name, &models[0][0].0, &OpenOptions::default()).unwrap();
    pack(&path, &models[4..], &table_of(&models[4..]));
    for model in [&model, scene.nodes()[0].model()] {
        assert!(model.bounds().is_some(), "as the pack was when it was opened");
        let failed = streamer.request(model, Part::Whole, Priority::NORMAL).wait().unwrap_err();
        assert!(failed.error().to_string().contains("changed"), "{}", failed.error());
    }
}

#[test]
fn a_mounted_pack_is_streamed_with_its_table_and_without_a_copy() {
    let (models, folder) = (models(), tempfile::tempdir().unwrap());
    let path = folder.path().join("a.pk3");
    pack(&path, &models, &table_of(&models));
    let name = "md3/animated.md3";
    let mut mounted = Assets::new();
    mounted.mount_archive(&path).unwrap();
    // As with a mapped archive.
    let archive = Archive::open(Source::read(&path).unwrap()).unwrap();
    let memory = archive.bytes().as_ptr_range();
    let mut in_memory = Assets::new();
    in_memory.mount("a.pk3", meshlens_assets::ArchiveFiles::new(archive));
    let streamer = Streamer::new(StreamerOptions::default()).unwrap();
    for (assets, is_shared) in [(mounted, false), (in_memory, true)] {
        let backend = Arc::new(AssetsBackend::new(assets, 1).unwrap());
        let before = streamer.statistics().reads;
        let scene = streamer.open_scene(&backend, name, &OpenOptions::default()).unwrap();
        let model = scene.nodes()[0].model();
        assert!(model.bounds().is_some() && model.plan().is_none());
        let loaded = streamer.request(model, Part::Whole, Priority::NORMAL).wait().unwrap();
        assert_eq!(streamer.statistics().reads, before + 1);
        let file = &loaded.model().unwrap().files()[0];
        let bytes = file.get(0..file.file_len()).unwrap();
        assert_eq!(memory.contains(&bytes.as_ptr()), is_shared);
    }
}
