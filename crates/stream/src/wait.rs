//! A blocking reader of the plan and the parts of a model, for tools and tests.

use crate::backend::{Answer, Backend, Read, Version};
use crate::sync::{block_on, channel};
use crate::{Error, FileName, FileRange, Part, PartialModel, Probe, ProbeOptions, Result, Step};

/// A reader of a model in a backend. Its calls block.
///
/// ```
/// use meshlens_stream::backend::FileBackend;
/// use meshlens_stream::{Part, ProbeOptions, WaitingReader};
///
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("flag.md3");
/// # let path = path.to_str().ok_or("not UTF-8")?;
/// # std::fs::write(path, meshlens::md3::write::Model::new("flag")?.write()?)?;
/// let backend = FileBackend::new(2)?;
/// let reader = WaitingReader::open(&backend, [path], ProbeOptions::default())?;
/// assert_eq!(reader.model().plan().mesh_count(), 0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct WaitingReader<'b> {
    files: Files<'b>,
    model: PartialModel,
}

struct Files<'b> {
    backend: &'b dyn Backend,
    names: Vec<FileName>,
    /// The state of each file at its first read.
    versions: Vec<Option<Version>>,
    /// The length of each file at its first read.
    lens: Vec<Option<u64>>,
    bytes_read: u64,
}

impl<'b> WaitingReader<'b> {
    /// Probes a model: one file, or the two files of an Unreal mesh, geometry first. The bytes that the probe reads are
    /// kept.
    ///
    /// # Errors
    ///
    /// A file cannot be read or changes during the probe, the bytes have no known format, or the parser fails.
    pub fn open<N: Into<FileName>>(
        backend: &'b dyn Backend,
        names: impl IntoIterator<Item = N>,
        options: ProbeOptions,
    ) -> Result<Self> {
        block_on(Self::open_async(backend, names.into_iter().map(Into::into).collect(), options))
    }

    /// Like [`open`](Self::open), but does not block.
    ///
    /// # Errors
    ///
    /// Same as [`open`](Self::open).
    pub async fn open_async(
        backend: &'b dyn Backend,
        names: Vec<FileName>,
        options: ProbeOptions,
    ) -> Result<Self> {
        let (versions, lens) = (vec![None; names.len()], vec![None; names.len()]);
        let mut files = Files { backend, versions, lens, names, bytes_read: 0 };
        let first = (0..files.names.len()).map(|file| FileRange::new(file, 0..options.read.max(1)));
        let answers = files.read(&first.collect::<Vec<_>>()).await?;
        let lens: Vec<u64> = answers.iter().map(|(_, answer)| answer.file_len).collect();
        let mut probe = Probe::new(&lens, options);
        let feed = |probe: &mut Probe, answers: Vec<(FileRange, Answer)>| {
            for (range, answer) in answers {
                probe.feed(range.file, range.start, answer.bytes);
            }
        };
        feed(&mut probe, answers);
        loop {
            match probe.step() {
                Ok(Step::Plan(plan)) => {
                    return Ok(WaitingReader {
                        model: PartialModel::with_files(plan, probe.into_files()),
                        files,
                    });
                }
                Ok(Step::Wants(ranges)) => {
                    let answers = files.read(&ranges).await?;
                    feed(&mut probe, answers);
                }
                Err(error) => {
                    return Err(Error::format(&files.name(meshlens::Parts::file_of(&error)), error));
                }
            }
        }
    }

    /// Reads the missing bytes of a part.
    ///
    /// # Errors
    ///
    /// The model does not have the part, or a file cannot be read or has changed.
    pub fn load(&mut self, part: Part) -> Result<()> {
        if self.model.plan().part(part).is_none() {
            return Err(Error::NoPart { file: self.files.name(0), part });
        }
        let missing = self.model.missing(part);
        block_on(self.read_async(&missing))
    }

    /// Reads ranges, such as the bytes that a getter of the document needs. Does not block.
    ///
    /// # Errors
    ///
    /// A file cannot be read or has changed.
    pub async fn read_async(&mut self, ranges: &[FileRange]) -> Result<()> {
        for (range, answer) in self.files.read(ranges).await? {
            self.model.insert(range.file, range.start, answer.bytes);
        }
        Ok(())
    }

    /// The state of a file at its first read, if the backend has told it.
    pub fn version(&self, file: usize) -> Option<&Version> {
        self.files.versions.get(file)?.as_ref()
    }

    /// The model with the parts that were read.
    pub const fn model(&self) -> &PartialModel {
        &self.model
    }

    /// Converts the reader to its [`model`](Self::model).
    pub fn into_model(self) -> PartialModel {
        self.model
    }

    /// The number of bytes that were read from the backend.
    pub const fn bytes_read(&self) -> u64 {
        self.files.bytes_read
    }
}

impl Files<'_> {
    fn name(&self, file: usize) -> FileName {
        self.names.get(file).cloned().unwrap_or_else(|| "no file".into())
    }

    /// Reads ranges, up to the maximum number of concurrent reads of the backend. Returns them in order.
    async fn read(&mut self, ranges: &[FileRange]) -> Result<Vec<(FileRange, Answer)>> {
        let mut answers = Vec::new();
        for together in ranges.chunks(self.backend.max_reads().max(1)) {
            let (sender, mut receiver) = channel();
            for range in together.iter().copied() {
                let sender = sender.clone();
                let read = Read::new(self.name(range.file), range.range(), move |answer| {
                    sender.send((range, answer));
                });
                let version = self.versions.get(range.file).cloned().flatten();
                self.backend.begin(read.with_version(version));
            }
            drop(sender);
            // Every read is answered, even if it is dropped.
            while let Some((range, answer)) = receiver.next().await {
                let answer = answer?;
                self.bytes_read += answer.bytes.len() as u64;
                if let Some(version @ None) = self.versions.get_mut(range.file) {
                    *version = answer.version.clone();
                }
                if let Some(len) = self.lens.get_mut(range.file)
                    && *len.get_or_insert(answer.file_len) != answer.file_len
                {
                    return Err(Error::Changed { file: self.name(range.file) });
                }
                answers.push((range, answer));
            }
        }
        answers.sort_by_key(|(range, _)| *range);
        Ok(answers)
    }
}

debug_fields!(self, Files<'b> { names: self.names });
