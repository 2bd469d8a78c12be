//! Skeletons that are found from vertex frames, as an option of conversions.

use meshlens::scene::Scene;
use meshlens::wire::Budget;
use meshlens_carriers::skeleton::{self, Rigged};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::error::Failure;

/// Whether vertex frames become a skeleton, or the largest root mean square of its distances.
#[derive(FromPyObject)]
pub(crate) enum Skeleton {
    Asked(bool),
    Within(f64),
}

/// The scene as one model with a skeleton, if it is asked for.
pub(crate) fn rigged(
    scene: &Scene<'_>,
    asked: &Skeleton,
    budget: &Budget,
) -> Result<Option<Rigged>, Failure> {
    let error = match asked {
        Skeleton::Asked(false) => return Ok(None),
        Skeleton::Asked(true) => None,
        Skeleton::Within(error) if *error > 0.0 && error.is_finite() => Some(*error),
        Skeleton::Within(error) => {
            let text =
                format!("the distances of a skeleton are positive and finite, and this one is {error}");
            return Err(PyValueError::new_err(text).into());
        }
    };
    let options = skeleton::Options { error, budget: Some(budget) };
    skeleton::skeleton(scene, &options).map(Some).map_err(|error| match error {
        meshlens_carriers::Error::Model(error) => error.into(),
        meshlens_carriers::Error::Memory(error) => error.into(),
        error => PyValueError::new_err(error.to_string()).into(),
    })
}
