//! Entries of an archive that lie next to each other.

use std::borrow::Cow;
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex};

use meshlens_source::{Archive, ArchiveLimits, ArchiveWriter, OpenedFile, RandomAccessFile, ReadAt};
use meshlens_stream::backend::ArchiveBackend;
use meshlens_stream::{Part, Priority, Streamer, StreamerOptions};

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

#[test]
fn models_that_lie_next_to_each_other_are_read_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("models.pk3");
    let mut packed = ArchiveWriter::create(&path, false).unwrap();
    let model = |number: usize| meshlens::md3::write::sample(&vec![number as f32; number + 1]).unwrap();
    for number in 0..8 {
        packed.add(&format!("{number}.md3"), &model(number)).unwrap();
    }
    packed.finish().unwrap();
    let (open, gate) = channel();
    let file = Gated { file: RandomAccessFile::open(&path).unwrap(), opened: Mutex::new((0, gate)) };
    let archive = Archive::parse(file, "models.pk3", ArchiveLimits::default()).unwrap();
    let backend = Arc::new(ArchiveBackend::new(archive, 1).unwrap());
    let streamer = Streamer::new(StreamerOptions::default()).unwrap();
    let models: Vec<_> =
        (0..8).map(|number| streamer.open(backend.clone(), [format!("{number}.md3")])).collect();
    let first = streamer.request(&models[0], Part::Whole, Priority::NORMAL);
    // The only thread has the first read, and the others wait.
    until("it is opened", || backend.archive().bytes().opened.try_lock().is_err());
    let rest = models[1..].iter().map(|model| (model, Part::Whole, Priority::NORMAL));
    let rest = streamer.request_many(rest);
    noted(&streamer);
    (0..2).for_each(|_| open.send(()).unwrap());
    for (number, handle) in std::iter::once(first).chain(rest).enumerate() {
        let bytes = model(number);
        let loaded = wait(handle).unwrap();
        let found = loaded.model().unwrap().files()[0].get(0..bytes.len() as u64);
        assert_eq!(found.as_deref(), Some(&bytes[..]), "{number}");
    }
    assert_eq!(backend.archive().bytes().opened.lock().unwrap().0, 2, "one read for the last seven");
    assert_eq!(streamer.statistics().reads, 8);
}
