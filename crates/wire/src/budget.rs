//! Memory budgets: bytes that calls reserve before they allocate.

use alloc::string::{String, ToString};
use alloc::sync::Arc;
use core::fmt;
use core::sync::atomic::{AtomicUsize, Ordering};

/// A number of bytes, from which calls reserve memory before they allocate, and which they release afterwards. Clones
/// share the budget, even across threads.
///
/// ```
/// use meshlens_wire::Budget;
///
/// let budget = Budget::new(1 << 20);
/// let frames = budget.reserve(600_000, format_args!("100 frames x 500 vertices x 12 bytes"))?;
/// let refused = budget.reserve(600_000, format_args!("another 100 frames")).unwrap_err();
/// assert!(refused.fits_alone());
/// drop(frames);
/// assert_eq!(budget.reserved(), 0);
/// # Ok::<(), meshlens_wire::OverBudget>(())
/// ```
#[derive(Clone, Debug)]
pub struct Budget(Arc<Pool>);

#[derive(Debug)]
struct Pool {
    limit: usize,
    reserved: AtomicUsize,
}

impl Budget {
    /// A budget of `limit` bytes.
    pub fn new(limit: usize) -> Self {
        Budget(Arc::new(Pool { limit, reserved: AtomicUsize::new(0) }))
    }

    /// The maximum number of bytes that can be reserved at the same time.
    pub fn limit(&self) -> usize {
        self.0.limit
    }

    /// The number of bytes that are reserved.
    pub fn reserved(&self) -> usize {
        self.0.reserved.load(Ordering::Relaxed)
    }

    /// Reserves `bytes` until the reservation is dropped. `what` is for the error message: usually the product from which the
    /// number was computed. O(1).
    ///
    /// # Errors
    ///
    /// [`OverBudget`] if fewer bytes are left.
    pub fn reserve(&self, bytes: usize, what: fmt::Arguments<'_>) -> Result<Reservation, OverBudget> {
        let mut reservation = self.empty();
        reservation.grow(bytes, what)?;
        Ok(reservation)
    }

    /// A reservation of 0 bytes, to be [grown](Reservation::grow).
    pub fn empty(&self) -> Reservation {
        Reservation { budget: self.clone(), bytes: 0 }
    }
}

/// Bytes reserved from a [`Budget`] until they are dropped.
#[derive(Debug)]
pub struct Reservation {
    budget: Budget,
    bytes: usize,
}

impl Reservation {
    /// The number of bytes.
    pub const fn bytes(&self) -> usize {
        self.bytes
    }

    /// The budget from which they are reserved.
    pub const fn budget(&self) -> &Budget {
        &self.budget
    }

    /// Reserves `bytes` more, as [`Budget::reserve`] does.
    ///
    /// # Errors
    ///
    /// [`OverBudget`] if fewer bytes are left. The reservation is not changed then.
    pub fn grow(&mut self, bytes: usize, what: fmt::Arguments<'_>) -> Result<(), OverBudget> {
        let Pool { limit, reserved } = &*self.budget.0;
        let more = |reserved: usize| reserved.checked_add(bytes).filter(|sum| sum <= limit);
        match reserved.fetch_update(Ordering::Relaxed, Ordering::Relaxed, more) {
            Ok(_) => {
                // At most the sum of all reservations, which did not overflow.
                self.bytes = self.bytes.saturating_add(bytes);
                Ok(())
            }
            Err(reserved) => Err(OverBudget { what: what.to_string(), bytes, limit: *limit, reserved }),
        }
    }
}

impl Drop for Reservation {
    fn drop(&mut self) {
        self.budget.0.reserved.fetch_sub(self.bytes, Ordering::Relaxed);
    }
}

/// The error for a budget that has too few bytes left.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OverBudget {
    /// The purpose of the bytes: usually a product of counts.
    pub what: String,
    /// The number of bytes that are needed.
    pub bytes: usize,
    /// The limit of the budget.
    pub limit: usize,
    /// The number of bytes that were already reserved.
    pub reserved: usize,
}

impl OverBudget {
    /// Whether the bytes fit into the budget after all others have been released.
    pub const fn fits_alone(&self) -> bool {
        self.bytes <= self.limit
    }
}

impl fmt::Display for OverBudget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let OverBudget { what, bytes, limit, reserved } = self;
        write!(f, "{what} need {bytes} bytes of memory; the limit is {limit}")?;
        if *reserved > 0 {
            write!(f, ", {reserved} of them in use")?;
        }
        Ok(())
    }
}

impl core::error::Error for OverBudget {}
