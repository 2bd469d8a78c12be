//! Values that are computed once for each search path.

use std::any::{Any, TypeId};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

/// One value for each type, and one map of [named](Self::named) values for each type. Modules that use the same type share
/// its value and its map, so each module uses a type of its own.
#[derive(Default)]
pub(crate) struct Cache(Mutex<HashMap<TypeId, Arc<dyn Any + Send + Sync>>>);

impl Cache {
    /// The value of a type. It is made on first use.
    pub(crate) fn of<T: Any + Default + Send + Sync>(&self) -> Arc<T> {
        let mut values = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let value = values.entry(TypeId::of::<T>()).or_insert_with(|| Arc::<T>::default());
        // The entry of a type has this type.
        value.clone().downcast().unwrap_or_default()
    }

    /// The value of a type with this name. It is made on first use; an error is not kept.
    pub(crate) fn named<T: Any + Clone + Send + Sync, E>(
        &self,
        name: Box<str>,
        make: impl FnOnce() -> Result<T, E>,
    ) -> Result<T, E> {
        let values = self.of::<Mutex<HashMap<Box<str>, T>>>();
        let values = || values.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = values().get(&name) {
            return Ok(known.clone());
        }
        // The lock is not held meanwhile.
        let made = make()?;
        Ok(values().entry(name).or_insert(made).clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_type_has_one_value() {
        let cache = Cache::default();
        *cache.of::<Mutex<u32>>().lock().unwrap() = 3;
        *cache.of::<Mutex<u64>>().lock().unwrap() = 4;
        assert_eq!(*cache.of::<Mutex<u32>>().lock().unwrap(), 3);
        assert_eq!(*cache.of::<Mutex<u64>>().lock().unwrap(), 4);
    }
}
