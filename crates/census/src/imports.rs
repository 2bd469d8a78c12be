//! The memory of glTF imports: one budget for the process.

use std::sync::{LazyLock, PoisonError, RwLock};

use meshlens::import::ImportLimits;
use meshlens::wire::Budget;
use meshlens_assets::Error;

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
            Err(Error::Memory { over, .. }) if over.reserved > 0 => {}
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

    use meshlens::wire::Reservation;

    use super::*;

    fn reserve(budget: &Budget, bytes: usize) -> Result<Reservation, Error> {
        let reserved = budget.reserve(bytes, format_args!("a document"));
        reserved.map_err(|over| Error::Memory { file: "a.glb".into(), over: Box::new(over) })
    }

    #[test]
    fn an_import_that_does_not_fit_waits_for_the_others() {
        let imports = &Imports::new(100);
        let (tell, told) = &channel();
        thread::scope(|scope| {
            let first = |budget: &Budget| reserve(budget, 60);
            imports.import(first, |first| {
                let second = |budget: &Budget| {
                    let reserved = reserve(budget, 60);
                    tell.send(reserved.is_ok()).unwrap();
                    reserved
                };
                scope.spawn(move || imports.import(second, |second| drop(second.unwrap())));
                assert!(!told.recv().unwrap());
                drop(first.unwrap());
            });
        });
        assert!(told.recv().unwrap());
        // Nobody waits for memory that the budget never has.
        assert!(imports.import(|budget| reserve(budget, 101), |large| large.is_err()));
    }
}
