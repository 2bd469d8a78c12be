//! The formats: models of random numbers with a valid structure and hostile content, and changes of models.

mod md3;
mod u3d;
mod unigine;
mod unreal;

use arbitrary::{Result, Unstructured};

pub use md3::Md3;
pub use u3d::U3d;
pub use unigine::{UnigineAnim, UnigineMesh};
pub use unreal::{Unreal, split_pair};

/// Up to `most` elements.
fn some<'u, T>(
    u: &mut Unstructured<'u>,
    most: usize,
    mut one: impl FnMut(&mut Unstructured<'u>) -> Result<T>,
) -> Result<Vec<T>> {
    let count = u.int_in_range(0..=most)?;
    (0..count).map(|_| one(u)).collect()
}

/// The elements of another model, or else a new one.
fn of_other<T: Clone>(other: Option<&Vec<T>>, new: impl FnOnce() -> Result<T>) -> Result<Vec<T>> {
    other.map_or_else(|| Ok(vec![new()?]), |other| Ok(other.clone()))
}

/// A triangle, usually of existing vertices: one of `odds` is any number.
fn triangle(u: &mut Unstructured<'_>, odds: u8, vertices: usize) -> Result<[u32; 3]> {
    let last = vertices.saturating_sub(1) as u32;
    let mut corners = [0; 3];
    for corner in &mut corners {
        *corner = if u.ratio(1, odds)? { u.arbitrary()? } else { u.int_in_range(0..=last)? };
    }
    Ok(corners)
}

/// A number, often a special one.
fn number(u: &mut Unstructured<'_>) -> Result<f32> {
    const ODD: [f32; 12] = [
        0.0,
        -0.0,
        1.0,
        -1.0,
        f32::NAN,
        f32::INFINITY,
        f32::NEG_INFINITY,
        f32::MAX,
        f32::MIN,
        f32::MIN_POSITIVE,
        1e-45,
        512.0,
    ];
    if u.arbitrary()? { Ok(*u.choose(&ODD)?) } else { u.arbitrary() }
}

fn numbers<const N: usize>(u: &mut Unstructured<'_>) -> Result<[f32; N]> {
    let mut numbers = [0.0; N];
    for slot in &mut numbers {
        *slot = number(u)?;
    }
    Ok(numbers)
}

/// A name field: terminated text, unterminated text, or arbitrary bytes.
fn name(u: &mut Unstructured<'_>) -> Result<[u8; 64]> {
    let mut field = [0; 64];
    match u.int_in_range(0..=7)? {
        0 => u.fill_buffer(&mut field)?,
        1 => field = [b'n'; 64],
        2 => field.iter_mut().zip(b"c:\\x\0\xff\x1b[2").for_each(|(to, from)| *to = *from),
        _ => {
            let len = u.int_in_range(0..=8)?;
            u.fill_buffer(field.get_mut(..len).unwrap_or_default())?;
        }
    }
    Ok(field)
}
