//! The errors of conversions.

use meshlens::wire::OverBudget;

/// The error for a model that could not be converted.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The model is invalid.
    #[error(transparent)]
    Model(#[from] meshlens::Error),
    /// The budget has too little memory left.
    #[error("{0}")]
    Memory(#[from] OverBudget),
}
