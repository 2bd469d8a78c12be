//! Numbers from a seed, and the choices that are made with them.

use arbitrary::{Result, Unstructured};

/// The bytes that a change of the model may use, and those for a change of bytes in place. If they are used up, the rest of the
/// choices is the first of each.
pub(crate) const MANY: usize = 4096;
pub(crate) const FEW: usize = 128;

/// The same bytes for the same seed, on every machine.
pub(crate) fn bytes(seed: u64, count: usize) -> Vec<u8> {
    // splitmix64 (Vigna): neighboring seeds give unrelated numbers.
    let mut state = seed;
    let mut bytes = Vec::with_capacity(count + 7);
    while bytes.len() < count {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut number = state;
        number = (number ^ (number >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        number = (number ^ (number >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        bytes.extend_from_slice(&(number ^ (number >> 31)).to_le_bytes());
    }
    bytes.truncate(count);
    bytes
}

/// A number below `count`; 0 if there is none.
pub(crate) fn below(u: &mut Unstructured<'_>, count: usize) -> Result<usize> {
    u.int_in_range(0..=count.saturating_sub(1))
}

/// An element of a list; `None` if it is empty.
pub(crate) fn one_of<'l, T>(u: &mut Unstructured<'_>, list: &'l mut [T]) -> Result<Option<&'l mut T>> {
    let at = below(u, list.len())?;
    Ok(list.get_mut(at))
}

/// The most elements to which a change extends a list, such as the vertices of all frames together.
pub(crate) const MOST_VERTICES: usize = 1 << 16;

/// The most copies of an element that one change adds, to a list of at most as many elements as `LONG`.
const COPIES: usize = 40;
const LONG: usize = 200;

/// Removes, replaces, exchanges or repeats an element of a list, or adds one of `more`.
pub(crate) fn splice<T: Clone>(u: &mut Unstructured<'_>, list: &mut Vec<T>, more: &[T]) -> Result<()> {
    let (at, other) = (below(u, list.len())?, below(u, list.len())?);
    let new = more.get(below(u, more.len())?).or(list.get(other)).cloned();
    match u.int_in_range(0..=7)? {
        0 | 1 if at < list.len() => drop(list.remove(at)),
        2 if at < list.len() => list.swap(at, other),
        3 if list.len() <= LONG => {
            let copies = u.int_in_range(1..=COPIES)?;
            list.splice(at..at, new.into_iter().flat_map(|new| core::iter::repeat_n(new, copies)));
        }
        4 | 5 if at < list.len() => list.splice(at..=at, new).for_each(drop),
        _ => list.splice(at..at, new).for_each(drop),
    }
    Ok(())
}

/// Gives a list a length: cuts it, or repeats its elements. It does not become longer than [`MOST_VERTICES`], so that a few
/// changes cannot take all memory; writers then refuse the model.
pub(crate) fn fit<T: Clone>(list: &mut Vec<T>, len: usize, default: &T) {
    if list.is_empty() {
        list.push(default.clone());
    }
    fit_used(list, len);
}

/// Like [`fit`], for a list that may be left out, and then stays empty.
pub(crate) fn fit_used<T: Clone>(list: &mut Vec<T>, len: usize) {
    let len = len.min(list.len().max(MOST_VERTICES));
    *list = list.iter().cycle().take(len).cloned().collect();
}

/// A triangle of vertices that exist; `None` if there are none.
pub(crate) fn corners(u: &mut Unstructured<'_>, vertices: usize) -> Result<Option<[u32; 3]>> {
    let mut corner = || below(u, vertices).map(|index| index as u32);
    let triangle = [corner()?, corner()?, corner()?];
    Ok((vertices > 0).then_some(triangle))
}
