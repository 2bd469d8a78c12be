//! Opens files of other formats through their importers.

use std::cell::RefCell;

use meshlens::import::{ImportError, ImportOptions};
use meshlens::wire::Budget;

use crate::asset::{Cell, Owner};
use crate::located::{LoadedFiles, Located};
use crate::record::Record;
use crate::{Asset, AssetPath, Assets, Bytes, Error, OpenOptions, Rule, codes, material};

impl Located {
    /// Imports the file that was loaded, which has an [importer](LoadedFiles::importer). Like
    /// [`open_loaded`](Self::open_loaded), for a caller that keeps the loaded file, or has its own budget for imports.
    ///
    /// # Errors
    ///
    /// [`Error::Import`], and [`Error::Memory`] if the budget is too small.
    pub fn import(
        &self,
        loaded: &LoadedFiles,
        options: &OpenOptions,
        budget: &Budget,
    ) -> Result<Asset, Error> {
        let Located { assets, path, files, record } = self;
        let failed = |error, record: &Record| {
            let missing = record.lookups.iter().filter(|lookup| lookup.found.is_none());
            let missing = missing.map(|lookup| lookup.path.clone()).collect();
            let unreadable =
                record.findings.findings().filter(|found| found.code == codes::COMPANION_UNREADABLE.name);
            let unreadable = unreadable.map(|found| found.message.to_string()).collect();
            Error::Import { file: files.to_string().into(), error, missing, unreadable }
        };
        let mut record = record.clone();
        let Some(importer) = loaded.importer() else {
            return Err(failed("no importer reads this file".into(), &record));
        };
        for (file, bytes) in files.files().into_iter().zip(loaded.bytes()) {
            record.use_found(Rule::Named, file, bytes.len());
        }
        let imported = {
            let record = RefCell::new(&mut record);
            let read = |name: &str, len: usize| {
                let read = assets.read_referred(&path.folder(), name, len as u64, &mut record.borrow_mut());
                read.map(Vec::from)
            };
            let import = ImportOptions { lods: options.lods, ..options.import };
            importer.import(loaded.first(), &import, &read, budget)
        };
        let (mut scene, losses) = imported.map_err(|error| match error {
            ImportError::Memory(over) => Error::memory(files, over),
            ImportError::File(error) => failed(error, &record),
        })?;
        record.findings.append(losses);
        if let [node] = &mut scene.nodes[..]
            && node.name.is_empty()
        {
            node.name = path.stem().to_owned();
        }
        for node in scene.nodes.iter_mut().filter(|_| options.materials) {
            material::resolve(assets, &mut node.model, path, &mut record);
            // The findings are those of the finest level.
            let levels = node.lods.iter_mut();
            levels.for_each(|level| material::resolve(assets, level, path, &mut Record::default()));
        }
        record.unlisted(assets, &path.folder());
        let node_paths = vec![path.clone(); scene.nodes.len()];
        let cell = Cell::new(Owner::new(Vec::new()), |_| scene);
        Ok(Asset::new(cell, path.clone(), node_paths, assets.clone(), record, None))
    }
}

impl Assets {
    /// Reads the first `len` bytes, or all if it has fewer, of a file that an imported file refers to. Memory is taken for
    /// these bytes only. `None` if there is no such file, which is recorded.
    fn read_referred(&self, base: &AssetPath, name: &str, len: u64, record: &mut Record) -> Option<Bytes> {
        let path = record.optional(self.resolve(base, name).map_err(Error::from))?;
        let file = match self.unlisted(&path, self.find_any(&path).as_ref()) {
            Some(file) => {
                record.look(Rule::Buffer, path, Some(file.clone()));
                file
            }
            None => record.find(self, Rule::Buffer, path)?,
        };
        let part = record.optional(self.read_range(&file, 0..len))?;
        record.use_found(Rule::Buffer, &file, part.bytes.len());
        Some(part.bytes)
    }
}
