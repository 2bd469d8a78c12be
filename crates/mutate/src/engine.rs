//! The changes that every format has in common: which one is made, and how large its result may be.

use std::borrow::Cow;
use std::rc::Rc;

use arbitrary::{Result, Unstructured};

use crate::damage;
use crate::layout::{self, Layout, Table};
use crate::random::{self, FEW, MANY};

/// A format whose files can be mutated.
pub trait Format {
    /// The content of a file as plain arrays.
    type Model;

    /// The name, which no other format has.
    const NAME: &'static str;

    /// Whether a change of values in arrays moves no array, so that the changed file needs not be parsed.
    const HAS_FIXED_TABLES: bool = false;

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

    /// The arrays of a file, outside of which are the numbers that say where they are; `None` if it does not parse. They depend on
    /// the file alone.
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

/// The layout of a file; `None` if it does not parse.
pub(crate) fn layout_of<F: Format>(format: &F, file: &[u8]) -> Option<Rc<Layout>> {
    layout::of(F::NAME, file, || format.tables(file))
}

fn keep<F: Format>(changed: &[u8], layout: &Rc<Layout>) {
    if F::HAS_FIXED_TABLES {
        layout::keep(F::NAME, changed, layout);
    }
}

/// How often a change is tried before a file is made in another way.
const TRIES: u64 = 4;

/// Changes a file. The result has at most `max_len` bytes, and depends on the arguments alone. Most changes are of values in arrays,
/// and give a file that parses; one of 16 reads the model, changes it and writes it. The others change counts and offsets, or any
/// bytes. A file that does not parse is often replaced by a new one, so that more than half of the results parse.
pub fn mutate<F: Format>(format: &F, file: &[u8], max_len: usize, seed: u64) -> Vec<u8> {
    let plain = format.open(file);
    let layout = layout_of(format, &plain);
    changed(format, file, max_len, seed, |seed| change(format, &plain, layout.as_ref(), seed).ok().flatten())
}

/// The first change of a file that is another file and short enough, or else a file that is made in another way.
fn changed<F: Format>(
    format: &F,
    file: &[u8],
    max_len: usize,
    seed: u64,
    change: impl Fn(u64) -> Option<Vec<u8>>,
) -> Vec<u8> {
    let made = (0..TRIES).filter_map(|attempt| change(seed ^ attempt << 56));
    let fits = |sealed: &Vec<u8>| sealed.len() <= max_len && sealed != file;
    let found = made.map(|changed| format.seal(changed)).find(fits);
    found.unwrap_or_else(|| shortened(format, file, max_len, seed))
}

fn change<F: Format>(
    format: &F,
    plain: &[u8],
    layout: Option<&Rc<Layout>>,
    seed: u64,
) -> Result<Option<Vec<u8>>> {
    let random = random::bytes(seed, FEW);
    let u = &mut Unstructured::new(&random);
    let choice = u.int_in_range(0..=31)?;
    let Some(layout) = layout else {
        if choice < 22 {
            // Small models: a new file takes the longest of all changes.
            let random = random::bytes(!seed, if choice == 0 { MANY } else { 4 * FEW });
            return Ok(format.write(&format.make(&mut Unstructured::new(&random))?));
        }
        let mut out = plain.to_vec();
        return damage::bytes(u, &mut out).map(|()| Some(out));
    };
    // Without arrays, there are no values.
    let choice = if layout.tables.is_empty() { choice | 28 } else { choice };
    if choice >= 30
        && let Some(mut model) = format.read(plain)
    {
        edit(format, &mut model, None, seed)?;
        return Ok(format.write(&model));
    }
    let mut out = plain.to_vec();
    match choice {
        25..=28 => damage::numbers(u, &mut out, layout, |number| format.compact(number))?,
        29 => damage::bytes(u, &mut out)?,
        _ => {
            damage::values(u, &mut out, layout, None)?;
            keep::<F>(&out, layout);
        }
    }
    Ok(Some(out))
}

fn edit<F: Format>(format: &F, model: &mut F::Model, other: Option<&F::Model>, seed: u64) -> Result<()> {
    let random = random::bytes(!seed, MANY);
    let u = &mut Unstructured::new(&random);
    for _ in 0..u.int_in_range(1..=4)? {
        format.edit(model, other, u)?;
    }
    Ok(())
}

/// Puts a part of one file into another: elements of arrays, or one of 16 times a part of the model. The result has at most `max_len`
/// bytes, and depends on the arguments alone.
pub fn cross_over<F: Format>(format: &F, first: &[u8], second: &[u8], max_len: usize, seed: u64) -> Vec<u8> {
    let (first_plain, second_plain) = (format.open(first), format.open(second));
    let (layout, other) = match (layout_of(format, &first_plain), layout_of(format, &second_plain)) {
        (Some(layout), Some(other)) => (layout, other),
        // A file that does not parse has no parts. What parses alone is changed alone.
        (Some(_), None) => return mutate(format, first, max_len, seed),
        (None, _) => return mutate(format, second, max_len, seed),
    };
    changed(format, first, max_len, seed, |seed| {
        let random = random::bytes(seed, FEW);
        let u = &mut Unstructured::new(&random);
        if u.ratio(1, 16).unwrap_or(true) {
            let (mut model, part) = (format.read(&first_plain)?, format.read(&second_plain)?);
            edit(format, &mut model, Some(&part), seed).ok()?;
            return format.write(&model);
        }
        let mut out = first_plain.to_vec();
        damage::values(u, &mut out, &layout, Some((&second_plain, &other))).ok()?;
        keep::<F>(&out, &layout);
        Some(out)
    })
}

/// Makes a file of at most `max_len` bytes.
pub fn make<F: Format>(format: &F, max_len: usize, seed: u64) -> Vec<u8> {
    shortened(format, &[], max_len, seed)
}

/// A file that is short enough: a new one, or else the beginning of the given one.
fn shortened<F: Format>(format: &F, file: &[u8], max_len: usize, seed: u64) -> Vec<u8> {
    // The fewer random numbers there are, the smaller is the model.
    let made = (0..8).map(|attempt| {
        let len = if attempt < 7 { max_len.min(2000) >> attempt } else { 0 };
        let random = random::bytes(seed.rotate_left(32) ^ attempt, len);
        let model = format.make(&mut Unstructured::new(&random)).ok()?;
        format.write(&model).map(|written| format.seal(written))
    });
    let fits = |made: &Vec<u8>| made.len() <= max_len && made != file;
    made.flatten().find(fits).unwrap_or_else(|| file.get(..max_len).unwrap_or(file).to_vec())
}
