//! Values by keys. A place that is free again is used by the next value, under another key.

/// The key of a value. No two values of a slab have the same one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Key {
    generation: u32,
    place: u32,
}

impl Key {
    /// The key as a number, which an atomic can store.
    pub(crate) const fn to_bits(self) -> u64 {
        (self.generation as u64) << 32 | self.place as u64
    }

    pub(crate) const fn of_bits(bits: u64) -> Key {
        Key { generation: (bits >> 32) as u32, place: bits as u32 }
    }
}

pub(crate) struct Slab<T> {
    /// The generation of each place, and its value.
    places: Vec<(u32, Option<T>)>,
    free: Vec<u32>,
}

impl<T> Slab<T> {
    pub(crate) const fn new() -> Slab<T> {
        Slab { places: Vec::new(), free: Vec::new() }
    }

    pub(crate) fn len(&self) -> usize {
        self.places.len() - self.free.len()
    }

    pub(crate) fn insert(&mut self, value: T) -> Key {
        let place = self.free.pop().unwrap_or(self.places.len() as u32);
        match self.places.get_mut(place as usize) {
            Some((generation, free)) => {
                *free = Some(value);
                Key { generation: *generation, place }
            }
            None => {
                self.places.push((1, Some(value)));
                Key { generation: 1, place }
            }
        }
    }

    pub(crate) fn get(&self, key: Key) -> Option<&T> {
        let (generation, value) = self.places.get(key.place as usize)?;
        value.as_ref().filter(|_| *generation == key.generation)
    }

    pub(crate) fn get_mut(&mut self, key: Key) -> Option<&mut T> {
        let (generation, value) = self.places.get_mut(key.place as usize)?;
        value.as_mut().filter(|_| *generation == key.generation)
    }

    pub(crate) fn remove(&mut self, key: Key) -> Option<T> {
        let (generation, value) = self.places.get_mut(key.place as usize)?;
        let value = if *generation == key.generation { value.take() } else { None }?;
        *generation = generation.wrapping_add(1);
        self.free.push(key.place);
        Some(value)
    }

    /// Removes all values.
    pub(crate) fn drain(&mut self) -> impl Iterator<Item = T> + use<T> {
        std::mem::take(self).places.into_iter().filter_map(|(_, value)| value)
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (Key, &T)> {
        self.places.iter().zip(0..).filter_map(|((generation, value), place)| {
            Some((Key { generation: *generation, place }, value.as_ref()?))
        })
    }
}

impl<T> Default for Slab<T> {
    fn default() -> Self {
        Slab::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_used_again_under_another_key() {
        let mut slab = Slab::new();
        let keys = [7, 8].map(|value| slab.insert(value));
        assert_eq!((slab.remove(keys[0]), slab.remove(keys[0]), slab.len()), (Some(7), None, 1));
        let again = slab.insert(9);
        assert_eq!((again.place, slab.get(keys[0])), (keys[0].place, None));
        assert_eq!(slab.get_mut(keys[0]), None);
        assert_eq!(Key::of_bits(again.to_bits()), again);
        assert_eq!(
            slab.iter().map(|(key, value)| (key, *value)).collect::<Vec<_>>(),
            [(again, 9), (keys[1], 8)]
        );
    }
}
