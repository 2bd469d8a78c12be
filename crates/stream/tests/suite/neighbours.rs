//! Entries of an archive that lie next to each other.

use std::borrow::Cow;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};

use meshlens_source::{Archive, ArchiveLimits, ArchiveWriter, OpenedFile, RandomAccessFile, ReadAt};
use meshlens_stream::backend::ArchiveBackend;
use meshlens_stream::{Part, Priority, StreamedModel, Streamer, StreamerOptions};

use crate::common::{noted, until, wait};

/// The file of an archive, which counts how often it is opened, and waits before that.
struct Gated {
    file: RandomAccessFile,
    opened: Mutex<(usize, Receiver<()>)>,
}

impl ReadAt for Gated {
    fn size(&self) -> u64 {
        self.file.size()
    }

    fn read_at(&self, offset: u64, len: u64) -> meshlens_source::Result<Cow<'_, [u8]>> {
        self.file.read_at(offset, len)
    }

    fn opened(&self) -> meshlens_source::Result<Option<OpenedFile<'_>>> {
        let mut opened = self.opened.lock().unwrap();
        opened.0 += 1;
        opened.1.recv().unwrap();
        self.file.opened()
    }
}

type GatedArchive = Archive<Gated>;

fn model(number: usize) -> Vec<u8> {
    meshlens::md3::write::sample(&vec![number as f32; number + 1]).unwrap()
}

/// An archive with eight models, and what opens its gate.
fn archive() -> (tempfile::TempDir, GatedArchive, Sender<()>) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("models.pk3");
    let mut packed = ArchiveWriter::create(&path, false).unwrap();
    for number in 0..8 {
        packed.add(&format!("{number}.md3"), &model(number)).unwrap();
    }
    packed.finish().unwrap();
    let (open, gate) = channel();
    let file = Gated { file: RandomAccessFile::open(&path).unwrap(), opened: Mutex::new((0, gate)) };
    (folder, Archive::parse(file, "models.pk3", ArchiveLimits::default()).unwrap(), open)
}

/// Requests all models while the only thread waits at the gate with the first read.
fn assert_two_reads(
    streamer: &Streamer,
    models: &[StreamedModel],
    archive: &GatedArchive,
    open: &Sender<()>,
) {
    let first = streamer.request(&models[0], Part::Whole, Priority::NORMAL);
    until("it is opened", || archive.bytes().opened.try_lock().is_err());
    let rest = models[1..].iter().map(|model| (model, Part::Whole, Priority::NORMAL));
    let rest = streamer.request_many(rest);
    noted(streamer);
    (0..2).for_each(|_| open.send(()).unwrap());
    for (number, handle) in std::iter::once(first).chain(rest).enumerate() {
        let bytes = model(number);
        let loaded = wait(handle).unwrap();
        let found = loaded.model().unwrap().files()[0].get(0..bytes.len() as u64);
        assert_eq!(found.as_deref(), Some(&bytes[..]), "{number}");
    }
    assert_eq!(archive.bytes().opened.lock().unwrap().0, 2, "one read for the last seven");
    assert_eq!(streamer.statistics().reads, 8);
}

#[test]
fn models_that_lie_next_to_each_other_are_read_at_once() {
    let (_keep, archive, open) = archive();
    let backend = Arc::new(ArchiveBackend::new(archive, 1).unwrap());
    let streamer = Streamer::new(StreamerOptions::default()).unwrap();
    let models: Vec<_> =
        (0..8).map(|number| streamer.open(backend.clone(), [format!("{number}.md3")])).collect();
    assert_two_reads(&streamer, &models, backend.archive(), &open);
}

#[test]
#[cfg(feature = "assets")]
fn neighbours_in_a_mounted_archive_are_read_at_once() {
    use meshlens_assets::{ArchiveFiles, Assets, OpenOptions};
    use meshlens_stream::backend::AssetsBackend;

    let (_keep, archive, open) = archive();
    let files = Arc::new(ArchiveFiles::new(archive));
    let mut assets = Assets::new();
    assets.mount("models.pk3", files.clone());
    let backend = Arc::new(AssetsBackend::new(assets, 1).unwrap());
    let streamer = Streamer::new(StreamerOptions::default()).unwrap();
    let scenes = (0..8).map(|number| {
        streamer.open_scene(&backend, &format!("{number}.md3"), &OpenOptions::default()).unwrap()
    });
    let models: Vec<_> = scenes.map(|scene| scene.nodes()[0].model().clone()).collect();
    assert_two_reads(&streamer, &models, files.archive(), &open);
}
