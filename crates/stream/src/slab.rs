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

/// The number of places that are allocated together: the memory of a thread grows by what is allocated at once, which takes a call of
/// the system each time.
const CHUNK: usize = 512;

pub(crate) struct Slab<T> {
    chunks: Vec<Chunk<T>>,
    /// The chunks that are listed as having room.
    roomy: Vec<u32>,
    /// The chunks without memory.
    empty: Vec<u32>,
    len: usize,
}

/// Places that are allocated together, and freed when none of them has a value.
struct Chunk<T> {
    /// The generation of each value. Places without a value have the index of the next such place instead: a list would grow, and a
    /// buffer that grows may be one of a caller's thread, which then waits for the allocator.
    places: Vec<(u32, Option<T>)>,
    /// The index of a place without a value; otherwise the number of places.
    free: u32,
    /// The number of values.
    len: usize,
    /// The generation of the last value. It outlives the places.
    generation: u32,
    is_listed: bool,
}

impl<T> Chunk<T> {
    fn has_memory(&self) -> bool {
        self.places.capacity() > 0
    }
}

impl<T> Default for Chunk<T> {
    fn default() -> Self {
        Chunk { places: Vec::new(), free: 0, len: 0, generation: 0, is_listed: false }
    }
}

impl<T> Slab<T> {
    pub(crate) const fn new() -> Slab<T> {
        Slab { chunks: Vec::new(), roomy: Vec::new(), empty: Vec::new(), len: 0 }
    }

    pub(crate) const fn len(&self) -> usize {
        self.len
    }

    pub(crate) fn insert(&mut self, value: T) -> Key {
        let index = self.chunk_with_room();
        let chunk = &mut self.chunks[index];
        let at = chunk.free as usize;
        // No key is 0.
        chunk.generation = chunk.generation.wrapping_add(1).max(1);
        chunk.len += 1;
        let place = (chunk.generation, Some(value));
        match chunk.places.get_mut(at) {
            Some(free) => chunk.free = std::mem::replace(free, place).0,
            None => {
                chunk.places.push(place);
                chunk.free = chunk.places.len() as u32;
            }
        }
        self.len += 1;
        Key { generation: chunk.generation, place: (index * CHUNK + at) as u32 }
    }

    /// The index of a chunk with room.
    fn chunk_with_room(&mut self) -> usize {
        while let Some(index) = self.roomy.last().map(|index| *index as usize) {
            let chunk = &mut self.chunks[index];
            if chunk.has_memory() && chunk.len < CHUNK {
                return index;
            }
            chunk.is_listed = false;
            self.roomy.pop();
        }
        let index = self.empty.pop().map_or(self.chunks.len(), |index| index as usize);
        if index == self.chunks.len() {
            self.chunks.push(Chunk::default());
        }
        let chunk = &mut self.chunks[index];
        (chunk.places, chunk.is_listed) = (Vec::with_capacity(CHUNK), true);
        self.roomy.push(index as u32);
        index
    }

    pub(crate) fn get(&self, key: Key) -> Option<&T> {
        let chunk = self.chunks.get(key.place as usize / CHUNK)?;
        let (generation, value) = chunk.places.get(key.place as usize % CHUNK)?;
        value.as_ref().filter(|_| *generation == key.generation)
    }

    pub(crate) fn get_mut(&mut self, key: Key) -> Option<&mut T> {
        let chunk = self.chunks.get_mut(key.place as usize / CHUNK)?;
        let (generation, value) = chunk.places.get_mut(key.place as usize % CHUNK)?;
        value.as_mut().filter(|_| *generation == key.generation)
    }

    pub(crate) fn remove(&mut self, key: Key) -> Option<T> {
        let index = key.place / CHUNK as u32;
        let allocated = self.chunks.len() - self.empty.len();
        let chunk = self.chunks.get_mut(index as usize)?;
        let at = key.place as usize % CHUNK;
        let (generation, value) = chunk.places.get_mut(at)?;
        let value = if *generation == key.generation { value.take() } else { None }?;
        *generation = std::mem::replace(&mut chunk.free, at as u32);
        chunk.len -= 1;
        self.len -= 1;
        // The next values find room elsewhere.
        if chunk.len == 0 && (allocated - 1) * CHUNK >= self.len + CHUNK / 2 {
            (chunk.places, chunk.free) = Default::default();
            self.empty.push(index);
        } else if !chunk.is_listed {
            chunk.is_listed = true;
            self.roomy.push(index);
        }
        Some(value)
    }

    /// Removes all values.
    pub(crate) fn drain(&mut self) -> impl Iterator<Item = T> + use<T> {
        let places = std::mem::take(self).chunks.into_iter().flat_map(|chunk| chunk.places);
        places.filter_map(|(_, value)| value)
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (Key, &T)> {
        self.chunks.iter().zip(0..).flat_map(|(chunk, index)| {
            chunk.places.iter().zip(index * CHUNK as u32..).filter_map(|((generation, value), place)| {
                Some((Key { generation: *generation, place }, value.as_ref()?))
            })
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
    fn many_values_leave_no_memory() {
        let mut slab = Slab::new();
        let keys: Vec<Key> = (0..10_000).map(|value| slab.insert(value)).collect();
        let allocated =
            |slab: &Slab<i32>| slab.chunks.iter().filter(|chunk| chunk.places.capacity() > 0).count();
        assert_eq!((slab.len(), allocated(&slab)), (10_000, 20));
        assert_eq!(slab.remove(keys[0]), Some(0));
        let again = slab.insert(-1);
        for (key, value) in keys.iter().zip(0..).skip(1) {
            assert_eq!(slab.get(*key), Some(&value));
            assert_eq!(slab.remove(*key), Some(value));
        }
        assert_eq!((slab.len(), allocated(&slab)), (1, 1));
        assert_eq!((slab.get(again), slab.get(keys[0])), (Some(&-1), None));
        // Places that are allocated again do not have their old keys.
        let newer: Vec<Key> = (0..10_000).map(|value| slab.insert(value)).collect();
        assert!(keys.iter().all(|key| slab.get(*key).is_none()));
        assert!(newer.iter().zip(0..).all(|(key, value)| slab.get(*key) == Some(&value)));
        assert_eq!((slab.iter().count(), allocated(&slab)), (10_001, 20));
        assert_eq!(slab.drain().count(), 10_001);
    }

    #[test]
    fn a_value_that_comes_and_goes_allocates_nothing() {
        let mut slab = Slab::new();
        let mut key = (0..513).map(|value| slab.insert(value)).last();
        let address = slab.chunks[1].places.as_ptr();
        for value in 513..2000 {
            assert_eq!(key.and_then(|key| slab.remove(key)), Some(value - 1));
            key = Some(slab.insert(value));
            assert_eq!((slab.chunks.len(), slab.chunks[1].places.as_ptr()), (2, address));
        }
    }

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
