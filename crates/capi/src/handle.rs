//! Handles: values that C holds a pointer to.

use std::alloc::Layout;
use std::ptr::NonNull;

use crate::call::check_place;
use crate::memory::Allocator;
use crate::result::{Failure, Result};

/// The target of a handle.
pub(crate) trait Opaque: Send + Sync {
    /// The name of the type in the header.
    const NAME: &'static str;

    /// The allocator of the handle.
    fn allocator(&self) -> Allocator;
}

/// Makes a type the target of handles, which lie in memory of the allocator in a field.
macro_rules! opaque {
    ($type:ident: $($field:ident).+) => {
        impl $crate::handle::Opaque for $type {
            const NAME: &'static str = stringify!($type);

            fn allocator(&self) -> $crate::memory::Allocator {
                self.$($field).+
            }
        }
    };
}
pub(crate) use opaque;

/// Makes a handle of `value` and writes it to `to`.
///
/// # Safety
///
/// `to` is NULL or points to a pointer.
pub(crate) unsafe fn open<T: Opaque>(to: *mut *mut T, value: T) -> Result<()> {
    // SAFETY: guaranteed by the caller.
    unsafe { check_place(to)? };
    let handle = value.allocator().allocate(Layout::new::<T>())?.cast::<T>();
    // SAFETY: the memory is newly allocated with the layout of this type.
    unsafe { handle.write(value) };
    live::add(handle.addr().get(), T::NAME);
    // SAFETY: the place was checked.
    unsafe { to.write(handle.as_ptr()) };
    Ok(())
}

/// Sets the caller's handle to NULL before a call that may fail.
///
/// # Safety
///
/// Same as [`open`].
pub(crate) unsafe fn clear<T>(to: *mut *mut T) -> Result<()> {
    // SAFETY: guaranteed by the caller.
    unsafe {
        check_place(to)?;
        to.write(std::ptr::null_mut());
    }
    Ok(())
}

/// The target of a handle.
///
/// # Safety
///
/// `handle` is NULL or an open handle. Builds with debug assertions detect a closed one.
pub(crate) unsafe fn get<'h, T: Opaque>(handle: *const T) -> Result<&'h T> {
    if handle.is_null() {
        return Err(Failure::argument("a handle is NULL"));
    }
    live::check(handle.addr(), T::NAME)?;
    if !handle.is_aligned() {
        return Err(Failure::argument("a handle is not aligned"));
    }
    // SAFETY: guaranteed by the caller.
    Ok(unsafe { &*handle })
}

/// Closes a handle. NULL is ignored.
///
/// # Safety
///
/// Same as [`get`]; in addition, nothing uses the handle or anything obtained from it.
pub(crate) unsafe fn close<T: Opaque>(handle: *mut T) -> Result<()> {
    let Some(handle) = NonNull::new(handle) else { return Ok(()) };
    // SAFETY: guaranteed by the caller.
    let allocator = unsafe { get(handle.as_ptr().cast_const())? }.allocator();
    live::remove(handle.addr().get(), T::NAME)?;
    // SAFETY: the handle was made by `open`, and nothing uses it.
    unsafe {
        handle.drop_in_place();
        allocator.release(handle.cast(), Layout::new::<T>());
    }
    Ok(())
}

/// The open handles, in builds with debug assertions.
#[cfg(debug_assertions)]
mod live {
    use std::collections::BTreeMap;
    use std::sync::{Mutex, MutexGuard, PoisonError};

    use crate::result::{Failure, Result, ml_result};

    static LIVE: Mutex<BTreeMap<usize, &'static str>> = Mutex::new(BTreeMap::new());

    fn live() -> MutexGuard<'static, BTreeMap<usize, &'static str>> {
        LIVE.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn find(live: &BTreeMap<usize, &'static str>, handle: usize, name: &'static str) -> Result<()> {
        let text = match live.get(&handle) {
            Some(found) if *found == name => return Ok(()),
            Some(found) => format!("a handle of an {found} was passed for an {name}"),
            None => format!("the handle of an {name} is not open: it was closed before, or never was one"),
        };
        Err(Failure::owned(ml_result::ML_ERROR_HANDLE, text))
    }

    pub(super) fn add(handle: usize, name: &'static str) {
        live().insert(handle, name);
    }

    pub(super) fn check(handle: usize, name: &'static str) -> Result<()> {
        find(&live(), handle, name)
    }

    pub(super) fn remove(handle: usize, name: &'static str) -> Result<()> {
        let mut live = live();
        find(&live, handle, name)?;
        live.remove(&handle);
        Ok(())
    }
}

#[cfg(not(debug_assertions))]
mod live {
    use crate::result::Result;

    pub(super) const fn add(_: usize, _: &'static str) {}

    pub(super) const fn check(_: usize, _: &'static str) -> Result<()> {
        Ok(())
    }

    pub(super) const fn remove(_: usize, _: &'static str) -> Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::result::ml_result::*;

    struct Number(u32);

    impl Opaque for Number {
        const NAME: &'static str = "number";

        fn allocator(&self) -> Allocator {
            Allocator::Global
        }
    }

    struct Other;

    impl Opaque for Other {
        const NAME: &'static str = "other";

        fn allocator(&self) -> Allocator {
            Allocator::Global
        }
    }

    #[test]
    fn a_handle_lives_from_open_to_close() {
        let mut handle: *mut Number = std::ptr::null_mut();
        // SAFETY: handles are only used while they are open, except when the list of open handles is checked.
        unsafe {
            open(&raw mut handle, Number(7)).unwrap();
            assert_eq!(get(handle.cast_const()).unwrap().0, 7);
            assert!(get(std::ptr::null::<Number>()).is_err());
            if cfg!(debug_assertions) {
                let wrong = get(handle.cast_const().cast::<Other>()).err().map(|failure| failure.code());
                assert_eq!(wrong, Some(ML_ERROR_HANDLE));
            }
            close(handle).unwrap();
            close(std::ptr::null_mut::<Number>()).unwrap();
            if cfg!(debug_assertions) {
                assert_eq!(
                    get(handle.cast_const()).err().map(|failure| failure.code()),
                    Some(ML_ERROR_HANDLE)
                );
                assert_eq!(close(handle).unwrap_err().code(), ML_ERROR_HANDLE);
            }
            assert!(open(std::ptr::null_mut::<*mut Number>(), Number(1)).is_err());
        }
    }
}
