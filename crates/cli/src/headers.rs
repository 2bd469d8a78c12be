//! Reads only the headers of models: a few ranges, independent of the size of the files.

use meshlens_assets::{Error, ModelFiles};
use meshlens_source::Error as SourceError;
use meshlens_stream::{PartialModel, Probe, ProbeOptions, Step};

use crate::item::Item;

/// The model with only its headers; `None` if its files must be read completely: also if they do not parse, because only the
/// complete file has the message for an encrypted file or a file of another format.
pub(crate) fn read(item: &Item) -> Result<Option<PartialModel>, Error> {
    let (located, options) = (&item.located, ProbeOptions::default());
    if !matches!(located.files(), ModelFiles::Single(_) | ModelFiles::Pair { .. }) {
        return Ok(None);
    }
    let files = located.files().files();
    let mut starts = Vec::new();
    for file in &files {
        starts.push(located.assets().read_range(file, 0..options.read)?);
    }
    let lens: Vec<u64> = starts.iter().map(|start| start.file_len).collect();
    let states: Vec<(u64, u64)> = starts.iter().map(|start| (start.file_len, start.version)).collect();
    let mut probe = Probe::new(&lens, options);
    for (number, start) in starts.into_iter().enumerate() {
        probe.feed(number, 0, start.bytes);
    }
    loop {
        let ranges = match probe.step() {
            Ok(Step::Plan(plan)) => return Ok(Some(PartialModel::with_files(plan, probe.into_files()))),
            Ok(Step::Wants(ranges)) => ranges,
            Err(_) => return Ok(None),
        };
        for range in ranges {
            let Some((file, state)) = files.get(range.file).zip(states.get(range.file)) else { continue };
            let part = located.assets().read_range(file, range.range())?;
            if (part.file_len, part.version) != *state {
                let path = std::path::PathBuf::from(file.to_string()).into();
                return Err(SourceError::Changed { path }.into());
            }
            probe.feed(range.file, range.start, part.bytes);
        }
    }
}
