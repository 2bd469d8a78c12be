//! Decoders of others on the same bytes: what they give is compared with our values, then both are measured.

use std::collections::BTreeSet;
use std::io;
use std::path::PathBuf;
use std::time::Duration;

use meshlens::lens::{AnyLens, Array, Level, Semantic};
use meshlens_assets::ModelFiles;

use crate::arrays::{self, Output};
use crate::library::{self, Decoder, DecoderArray};
use crate::measure::{largest_room, totals};
use crate::models::Model;
use crate::report::{DecoderReport, GivenArrays, Rate};
use crate::turns::{self, Run, Turns};

/// The name under which a decoder gives three positions for each triangle.
const CORNERS: &str = "corner_positions";

/// Loads the libraries. The program ends if the code of one runs longer than `limit`.
pub(crate) fn load(paths: &[PathBuf], limit: Duration) -> Result<Vec<Decoder>, String> {
    if !paths.is_empty() {
        library::watch(limit).map_err(|error| format!("cannot watch the decoders: {error}"))?;
    }
    paths.iter().map(|path| Decoder::load(path)).collect()
}

/// Compares and measures each decoder. All measurements together take `duration`; this library decodes at
/// `level`.
pub(crate) fn measure(
    decoders: &[Decoder],
    models: &[Model<'_>],
    level: Level,
    duration: Duration,
) -> io::Result<Vec<DecoderReport>> {
    let duration = duration / decoders.len().max(1) as u32;
    decoders.iter().map(|decoder| report(decoder, models, level, duration)).collect()
}

fn report(
    decoder: &Decoder,
    models: &[Model<'_>],
    level: Level,
    duration: Duration,
) -> io::Result<DecoderReport> {
    let mut report = DecoderReport { name: decoder.name.clone(), ..DecoderReport::default() };
    let mut read = Vec::new();
    for model in models {
        let mut check = Check::new(model);
        let is_read = decoder.decode(&files(model), |given| check.take(given));
        match check.error {
            _ if !is_read => {}
            None => {
                check.count(&mut report.arrays);
                read.push((model, check.selected()));
            }
            Some(error) => {
                report.difference = Some(format!("{}: {error}", model.uri));
                return Ok(report);
            }
        }
    }
    report.files = read.len();
    let arrays = read.iter().flat_map(|(model, taken)| model.document.arrays().zip(taken));
    let arrays: Vec<AnyLens<'_>> = arrays.filter(|(_, taken)| **taken).map(|(array, _)| array.lens).collect();
    (report.elements, report.bytes) = totals(&arrays);
    if report.elements == 0 {
        report.difference = Some("it gives no array of any file".to_owned());
        return Ok(report);
    }
    let mut output = Output::new(largest_room(&arrays))?;
    report.crc32 = arrays::crc32(&arrays, level, &mut output);
    let theirs: Run<'_> = Box::new(|| {
        for (model, _) in &read {
            decoder.decode(&files(model), |given| {
                std::hint::black_box(given);
            });
        }
    });
    let ours: Run<'_> = Box::new(|| {
        for (model, taken) in &read {
            // It was parsed before.
            let Ok(document) = model.files.document() else { continue };
            for (array, _) in document.arrays().zip(taken).filter(|(_, taken)| **taken) {
                arrays::decode(&array.lens, level, &mut output);
            }
        }
    });
    let mut turns = [Turns::new(vec![theirs, ours])];
    turns::run(&mut turns, duration);
    let timings = turns[0].timings();
    let mut rates = timings.into_iter().map(|timing| Rate::new(timing, (report.elements, report.bytes)));
    (report.rate, report.meshlens) = (rates.next(), rates.next());
    Ok(report)
}

/// The bytes that the document is made of.
fn files<'m>(model: &Model<'m>) -> Vec<&'m [u8]> {
    let count = if matches!(model.files.files(), ModelFiles::Pair { .. }) { 2 } else { 1 };
    model.files.bytes().iter().take(count).map(|bytes| &bytes[..]).collect()
}

/// The mesh, set, frame, level of detail and bone of an array.
type ArrayKey = [usize; 5];

/// The comparison of what a decoder gives of one model.
struct Check<'m> {
    arrays: Vec<Array<'m>>,
    /// The arrays that have the values which the decoder gave.
    taken: Vec<bool>,
    /// The names that the decoder gave, and the index of the array of each.
    given: BTreeSet<(&'static str, usize)>,
    /// The first difference.
    error: Option<String>,
}

impl<'m> Check<'m> {
    fn new(model: &'m Model<'_>) -> Check<'m> {
        let arrays: Vec<_> = model.document.arrays().collect();
        Check { taken: vec![false; arrays.len()], arrays, given: BTreeSet::new(), error: None }
    }

    fn find(&self, name: &str, place: ArrayKey) -> Option<usize> {
        self.arrays.iter().position(|array| {
            place == [array.mesh, array.set, array.frame, array.lod, array.bone]
                && array.semantic.name() == name
        })
    }

    fn take(&mut self, given: &DecoderArray) {
        if self.error.is_none() {
            self.error = self.compare(given).err();
        }
    }

    fn compare(&mut self, given: &DecoderArray) -> Result<(), String> {
        let place = [given.mesh, given.set, given.frame, given.lod, given.bone];
        let what = format!("{} of mesh {}, frame {}", given.name(), given.mesh, given.frame);
        let is_corners = given.name() == CORNERS;
        let name = if is_corners { Semantic::Position.name() } else { given.name() };
        let missing = || format!("{what}: the file has no such array");
        let index = self.find(name, place).ok_or_else(missing)?;
        let array = &self.arrays[index];
        let (format, mut values) = (array.lens.format(), values(&array.lens));
        let size = format.value().size();
        if is_corners {
            let [mesh, set, _, lod, bone] = place;
            let triangles =
                self.find(Semantic::Triangles.name(), [mesh, set, 0, lod, bone]).ok_or_else(missing)?;
            values = corners(&self.arrays[triangles].lens, &values, size).ok_or_else(missing)?;
            self.taken[triangles] = true;
        }
        let count = values.len() / size;
        let elements = given.elements(count, size);
        let mut elements = elements.ok_or_else(|| format!("{what}: not {count} elements of {size} bytes"))?;
        let is_same = |theirs: &[u8], ours: &[u8]| arrays::is_same(&array.lens, theirs, ours);
        let mut ours = values.chunks_exact(size);
        let different = elements.position(|theirs| ours.next().is_none_or(|ours| !is_same(theirs, ours)));
        if let Some(element) = different {
            return Err(format!("{what}: element {element} of {count} is different"));
        }
        self.taken[index] = true;
        self.given.insert((if is_corners { CORNERS } else { self.arrays[index].semantic.name() }, index));
        Ok(())
    }

    /// Adds the numbers of arrays that the decoder gave, and of those that the file has.
    fn count(&self, counts: &mut Vec<GivenArrays>) {
        for (name, _) in &self.given {
            match counts.iter_mut().find(|count| count.name == *name) {
                Some(count) => count.given += 1,
                None => counts.push(GivenArrays { name, given: 1, of: 0 }),
            }
        }
        for count in counts {
            let name = if count.name == CORNERS { Semantic::Position.name() } else { count.name };
            count.of += self.arrays.iter().filter(|array| array.semantic.name() == name).count();
        }
    }

    /// The arrays that have the given values, in the order of the document. Positions and normals that are stored in one record
    /// are decoded as records.
    fn selected(mut self) -> Vec<bool> {
        for (index, array) in self.arrays.iter().enumerate() {
            if array.semantic == Semantic::PositionNormal {
                let place = [array.mesh, array.set, array.frame, array.lod, array.bone];
                let parts = [Semantic::Position, Semantic::Normal].map(|part| self.find(part.name(), place));
                if let [Some(positions), Some(normals)] = parts
                    && self.taken[positions]
                    && self.taken[normals]
                {
                    (self.taken[positions], self.taken[normals], self.taken[index]) = (false, false, true);
                }
            }
        }
        self.taken
    }
}

fn values(array: &AnyLens<'_>) -> Vec<u8> {
    let mut output = vec![0; array.len() * array.format().value().size()];
    array.decode_bytes_into(&mut output).expect("as many bytes as the values have");
    output
}

/// The positions of the corners of triangles. `None` if the triangles are not three 32-bit indices of positions each.
fn corners(triangles: &AnyLens<'_>, positions: &[u8], size: usize) -> Option<Vec<u8>> {
    if triangles.format().value().size() != 12 {
        return None;
    }
    let mut corners = Vec::new();
    for index in values(triangles).chunks_exact(4) {
        let start = size.checked_mul(u32::from_le_bytes(index.try_into().ok()?) as usize)?;
        corners.extend_from_slice(positions.get(start..)?.get(..size)?);
    }
    Some(corners)
}
