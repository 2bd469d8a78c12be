//! The memory budget that jobs share.

use std::sync::{PoisonError, RwLock};

use meshlens::import::ImportLimits;
use meshlens::wire::Budget;

/// The assumed memory of a machine that does not report its size. The default budget is half of it.
const UNKNOWN: usize = 8 << 30;

/// A budget for all jobs of a run. Jobs run in parallel as long as it is not exhausted.
pub(crate) struct Memory {
    budget: Budget,
    is_asked_for: bool,
    turn: RwLock<()>,
}

impl Memory {
    /// A budget of `asked` bytes, or of half of the machine's memory.
    pub(crate) fn new(asked: Option<usize>) -> Memory {
        let limit = asked.unwrap_or_else(|| machine().unwrap_or(UNKNOWN) / 2);
        Memory { budget: Budget::new(limit), is_asked_for: asked.is_some(), turn: RwLock::new(()) }
    }

    /// The budget to reserve memory from.
    pub(crate) const fn budget(&self) -> &Budget {
        &self.budget
    }

    /// The limit for one imported file: the one set by the user, or else the usual one if the budget is that large.
    pub(crate) fn of_one_file(&self) -> usize {
        let limit = self.budget.limit();
        if self.is_asked_for { limit } else { ImportLimits::DEFAULT.bytes.min(limit) }
    }

    /// Runs a job with the budget. A job that fails because other jobs hold memory (`waits`) runs again without other
    /// jobs when all of them are done. No job waits while it holds memory.
    pub(crate) fn run<R, E>(
        &self,
        mut job: impl FnMut(&Budget) -> Result<R, E>,
        waits: impl Fn(&E) -> bool,
    ) -> Result<R, E> {
        let beside_others = {
            let _turn = self.turn.read().unwrap_or_else(PoisonError::into_inner);
            job(&self.budget)
        };
        match beside_others {
            Err(error) if waits(&error) => {
                let _turn = self.turn.write().unwrap_or_else(PoisonError::into_inner);
                job(&self.budget)
            }
            result => result,
        }
    }
}

/// The memory of the machine, or of the container of the process; `None` if the system does not report it.
fn machine() -> Option<usize> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
    let total = line.trim().trim_end_matches("kB").trim().parse::<usize>().ok()?.checked_mul(1024)?;
    let container = std::fs::read_to_string("/sys/fs/cgroup/memory.max").ok();
    let container = container.and_then(|text| text.trim().parse().ok());
    Some(container.map_or(total, |container: usize| container.min(total)))
}

/// Parses a number of bytes, such as 4096, 512K, 512M or 2G.
pub(crate) fn size(text: &str) -> Result<usize, String> {
    let upper = text.trim().to_ascii_uppercase();
    let upper = upper.strip_suffix('B').unwrap_or(&upper);
    let upper = upper.strip_suffix('I').unwrap_or(upper);
    let digits = upper.trim_end_matches(['K', 'M', 'G', 'T']);
    let unit = ["", "K", "M", "G", "T"].iter().position(|unit| upper[digits.len()..] == **unit);
    let number: Option<usize> = digits.parse().ok();
    let bytes = number.zip(unit).and_then(|(number, unit)| number.checked_mul(1 << (10 * unit)));
    bytes.filter(|bytes| *bytes > 0).ok_or_else(|| "expected a size, such as 512M or 2G".into())
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;

    use meshlens::wire::OverBudget;

    use super::*;

    #[test]
    fn sizes_are_read() {
        let read = |text| size(text).ok();
        assert_eq!(read("4096"), Some(4096));
        assert_eq!((read("512M"), read("2G"), read("2g")), (Some(512 << 20), Some(2 << 30), Some(2 << 30)));
        assert_eq!((read("64KiB"), read("1MB")), (Some(64 << 10), Some(1 << 20)));
        for wrong in ["", "0", "M", "-1", "1.5G", "2X", "2MM", "99999999999999T"] {
            assert!(size(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_job_that_does_not_fit_next_to_another_runs_after_it() {
        let memory = &Memory::new(Some(100));
        let (first_has, first_has_it) = channel();
        let (second_failed, second_has_failed) = channel();
        std::thread::scope(|scope| {
            scope.spawn(move || {
                let job = |budget: &Budget| {
                    let share = budget.reserve(60, format_args!("the first"))?;
                    first_has.send(()).unwrap();
                    second_has_failed.recv().unwrap();
                    drop(share);
                    Ok(())
                };
                memory.run(job, OverBudget::fits_alone).unwrap();
            });
            first_has_it.recv().unwrap();
            let mut tries = 0;
            let job = |budget: &Budget| {
                tries += 1;
                let share = budget.reserve(60, format_args!("the second"));
                if share.is_err() {
                    second_failed.send(()).unwrap();
                }
                share.map(drop)
            };
            memory.run(job, OverBudget::fits_alone).unwrap();
            assert_eq!(tries, 2);
        });
        // A request that exceeds the whole budget is refused without another try.
        let mut tries = 0;
        let too_large = |budget: &Budget| {
            tries += 1;
            budget.reserve(101, format_args!("the third")).map(drop)
        };
        assert!(memory.run(too_large, OverBudget::fits_alone).is_err());
        assert_eq!(tries, 1);
    }
}
