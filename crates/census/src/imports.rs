//! The memory of glTF imports: one budget for the process.

use std::sync::{LazyLock, PoisonError, RwLock};

use meshlens::wire::Budget;
use meshlens_gltf::{Error, ImportLimits};

/// It is enough for the largest document that is imported, which is then the only one.
pub(crate) static IMPORTS: LazyLock<Imports> = LazyLock::new(|| Imports::new(ImportLimits::DEFAULT.bytes));

/// Writing is importing alone.
pub(crate) struct Imports(RwLock<Budget>);

impl Imports {
    fn new(bytes: usize) -> Imports {
        Imports(RwLock::new(Budget::new(bytes)))
    }

    /// Imports a document, and passes it on, which drops it. If its memory does not fit beside those of other threads, it is
    /// imported again when they have ended.
    pub(crate) fn import<M, T>(
        &self,
        import: impl Fn(&Budget) -> Result<M, Error>,
        take: impl FnOnce(Result<M, Error>) -> T,
    ) -> T {
        let beside = self.0.read().unwrap_or_else(PoisonError::into_inner);
        match import(&beside) {
            // The limit for one document does not count what others have reserved.
            Err(Error::Memory(over)) if over.reserved > 0 => {}
            imported => return take(imported),
        }
        drop(beside);
        let alone = self.0.write().unwrap_or_else(PoisonError::into_inner);
        take(import(&alone))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;
    use std::thread;

    use super::*;

    #[test]
    fn an_import_that_does_not_fit_waits_for_the_others() {
        let imports = &Imports::new(100);
        let (tell, told) = &channel();
        thread::scope(|scope| {
            let first = |budget: &Budget| Ok(budget.reserve(60, format_args!("the first"))?);
            imports.import(first, |first| {
                let second = |budget: &Budget| {
                    let reserved = budget.reserve(60, format_args!("the second"));
                    tell.send(reserved.is_ok()).unwrap();
                    Ok(reserved?)
                };
                scope.spawn(move || imports.import(second, |second| drop(second.unwrap())));
                assert!(!told.recv().unwrap());
                drop(first.unwrap());
            });
        });
        assert!(told.recv().unwrap());
        // Nobody waits for memory that the budget never has.
        let large = |budget: &Budget| Ok(budget.reserve(101, format_args!("a large one"))?);
        assert!(imports.import(large, |large| large.is_err()));
    }
}
