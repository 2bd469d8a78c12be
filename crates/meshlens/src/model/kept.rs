//! Values that are computed when they are first read, and kept with the model.

use alloc::boxed::Box;

use meshlens_lens::Influences;
use meshlens_wire::{Budget, Error, ErrorKind, Reservation, Result};
use once_cell::race::OnceBox;

/// The budget that kept values of a mesh are charged to.
#[derive(Debug, Default)]
pub(crate) struct Charge(OnceBox<Budget>);

impl Charge {
    pub(crate) fn set(&self, budget: &Budget) {
        self.0.get_or_init(|| Box::new(budget.clone()));
    }

    fn reserve(&self, what: &'static str, bytes: usize) -> Result<Option<Reservation>> {
        let reserved = self.0.get().map(|budget| budget.reserve(bytes, format_args!("{what}"))).transpose();
        reserved.map_err(|over| {
            let (bytes, limit) = (over.bytes as u64, over.limit as u64);
            Error::of_call("mesh", ErrorKind::Memory { what, bytes, limit, reserved: over.reserved as u64 })
        })
    }
}

/// A value that is computed when it is first read, and the memory that is reserved for it.
#[derive(Debug)]
pub(crate) struct Kept<T>(OnceBox<(T, Option<Reservation>)>);

impl<T> Default for Kept<T> {
    fn default() -> Self {
        Kept(OnceBox::new())
    }
}

impl<T> Kept<T> {
    /// The value, if it was computed.
    pub(crate) fn known(&self) -> Option<&T> {
        self.0.get().map(|(value, _)| value)
    }

    /// Returns the value, or reserves its bytes and computes it.
    pub(crate) fn get(
        &self,
        charge: &Charge,
        what: &'static str,
        bytes: impl FnOnce() -> Result<usize>,
        compute: impl FnOnce() -> Result<T>,
    ) -> Result<&T> {
        let kept = self.0.get_or_try_init(|| {
            let reserved = charge.reserve(what, bytes()?)?;
            Ok(Box::new((compute()?, reserved)))
        })?;
        Ok(&kept.0)
    }
}

/// The joints and weights of each point of a mesh.
#[derive(Debug, Default)]
pub(crate) struct KeptInfluences {
    pub(crate) charge: Charge,
    pub(crate) influences: Kept<Influences>,
}
