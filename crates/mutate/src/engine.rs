//! The changes that every format has in common: which one is made, and how large its result may be.

use std::borrow::Cow;

use arbitrary::{Result, Unstructured};

use crate::damage::{self, Table};
use crate::random;

/// A format whose files can be mutated.
pub trait Format {
    /// The content of a file as plain arrays.
    type Model;

    /// Reads a file; `None` if it does not parse, or has indices that the model cannot have.
    fn read(&self, file: &[u8]) -> Option<Self::Model>;

    /// Writes a file; `None` if the model has no file.
    fn write(&self, model: &Self::Model) -> Option<Vec<u8>>;

    /// Makes a model from random numbers.
    ///
    /// # Errors
    ///
    /// There are too few random numbers.
    fn make(&self, random: &mut Unstructured<'_>) -> Result<Self::Model>;

    /// Makes one change. With another model, a part of that one is taken over.
    ///
    /// # Errors
    ///
    /// There are too few random numbers.
    fn edit(
        &self,
        model: &mut Self::Model,
        other: Option<&Self::Model>,
        random: &mut Unstructured<'_>,
    ) -> Result<()>;

    /// The arrays of a file, outside of which are the numbers that say where they are; `None` if it does not parse.
    fn tables(&self, file: &[u8]) -> Option<Vec<Table>>;

    /// The bytes of a number in a header, for a format whose numbers have no fixed size: the upper bit of each byte but the
    /// last is set. `None` for other formats.
    fn compact(&self, _number: i32) -> Option<Vec<u8>> {
        None
    }

    /// The file as [`read`](Self::read) takes it: decrypted, for a format with encryption.
    fn open<'f>(&self, file: &'f [u8]) -> Cow<'f, [u8]> {
        file.into()
    }

    /// The reverse of [`open`](Self::open).
    fn seal(&self, file: Vec<u8>) -> Vec<u8> {
        file
    }
}

/// How often a change is tried before a file is made in another way.
const TRIES: usize = 4;

/// Changes a file. The result has at most `max_len` bytes, and depends on the arguments alone. Of 16 changes, about 10 give a
/// file that parses: of the model, or of values in arrays. The others change counts and offsets, or any bytes. A file
/// that does not parse is often replaced by a new one, so that the share remains.
pub fn mutate<F: Format>(format: &F, file: &[u8], max_len: usize, seed: u64) -> Vec<u8> {
    let random = random::bytes(seed);
    let u = &mut Unstructured::new(&random);
    let plain = format.open(file);
    for _ in 0..TRIES {
        let Ok(Some(changed)) = change(format, &plain, u) else { continue };
        let sealed = format.seal(changed);
        if sealed.len() <= max_len && sealed != file {
            return sealed;
        }
    }
    shortened(format, file, max_len, seed)
}

fn change<F: Format>(format: &F, plain: &[u8], u: &mut Unstructured<'_>) -> Result<Option<Vec<u8>>> {
    let choice = u.int_in_range(0..=15)?;
    let Some(tables) = format.tables(plain) else {
        return match choice {
            0..=10 => Ok(format.write(&format.make(u)?)),
            _ => damage::bytes(u, plain).map(Some),
        };
    };
    match choice {
        0..=7 => {
            let Some(mut model) = format.read(plain) else {
                return damage::values(u, plain, &tables).map(Some);
            };
            for _ in 0..u.int_in_range(1..=4)? {
                format.edit(&mut model, None, u)?;
            }
            Ok(format.write(&model))
        }
        8..=11 => damage::values(u, plain, &tables).map(Some),
        12..=14 => damage::numbers(u, plain, &tables, |number| format.compact(number)).map(Some),
        _ => damage::bytes(u, plain).map(Some),
    }
}

/// Puts a part of one file into another. The result has at most `max_len` bytes, and depends on the arguments alone.
pub fn cross_over<F: Format>(format: &F, first: &[u8], second: &[u8], max_len: usize, seed: u64) -> Vec<u8> {
    let random = random::bytes(seed);
    let u = &mut Unstructured::new(&random);
    let (first_plain, second_plain) = (format.open(first), format.open(second));
    let models = (format.read(&first_plain), format.read(&second_plain));
    for _ in 0..TRIES {
        let joined = match &models {
            (Some(_), Some(other)) => format.read(&first_plain).and_then(|mut model| {
                for _ in 0..u.int_in_range(1..=4).ok()? {
                    format.edit(&mut model, Some(other), u).ok()?;
                }
                format.write(&model)
            }),
            // A file that does not parse has no parts. What parses alone is changed alone.
            (Some(_), None) => return mutate(format, first, max_len, seed),
            (None, _) => return mutate(format, second, max_len, seed),
        };
        if let Some(sealed) =
            joined.map(|joined| format.seal(joined)).filter(|joined| joined.len() <= max_len)
        {
            return sealed;
        }
    }
    shortened(format, first, max_len, seed)
}

/// Makes a file of at most `max_len` bytes.
pub fn make<F: Format>(format: &F, max_len: usize, seed: u64) -> Vec<u8> {
    shortened(format, &[], max_len, seed)
}

/// A file that is short enough: a new one, or else the beginning of the given one.
fn shortened<F: Format>(format: &F, file: &[u8], max_len: usize, seed: u64) -> Vec<u8> {
    // The fewer random numbers there are, the smaller is the model.
    let made = (0..8).map(|attempt| {
        let mut random = random::bytes(seed.rotate_left(32) ^ attempt);
        random.truncate(if attempt < 7 { max_len.min(2000) >> attempt } else { 0 });
        let model = format.make(&mut Unstructured::new(&random)).ok()?;
        format.write(&model).map(|written| format.seal(written))
    });
    let fits = |made: &Vec<u8>| made.len() <= max_len && made != file;
    made.flatten().find(fits).unwrap_or_else(|| file.get(..max_len).unwrap_or(file).to_vec())
}
