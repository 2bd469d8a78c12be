//! The pairs of files that scripts name.

use std::collections::{BTreeMap, HashSet, VecDeque};
use std::sync::Arc;

use meshlens::wire::Reservation;

use crate::located::Located;
use crate::scripts::ScriptMesh;
use crate::walk::{Walk, Walked};
use crate::{AssetPath, Assets, Error, FoundFile};

/// The pairs of files that the scripts below a folder name.
#[derive(Debug, Default)]
pub(crate) struct ScriptPairs {
    /// For each geometry file: the frames files and the scripts.
    pairs: BTreeMap<AssetPath, Vec<(FoundFile, Arc<ScriptMesh>)>>,
    pub(crate) paired: HashSet<AssetPath>,
    _reserved: Option<Reservation>,
}

impl ScriptPairs {
    /// Reads the scripts below a folder. Scripts that cannot be read are added to `faults`.
    pub(crate) fn read(
        assets: &Assets,
        folder: &AssetPath,
        faults: &mut VecDeque<Result<Located, Error>>,
    ) -> Result<ScriptPairs, Error> {
        let mut scripts = ScriptPairs::default();
        let mut reserved = assets.budget().map(|budget| budget.empty());
        let mut walk = Walk::new(assets, folder, false);
        while let Some(walked) = walk.next(assets) {
            // Faults of folders are reported by the walk that finds models.
            let Ok(Walked { path, file, .. }) = walked else { continue };
            // Most scripts import no mesh; whether they parse does not matter.
            let imports = match assets.imports(&path, &file) {
                Ok(imports) => imports,
                Err(Error::Parse { .. }) => continue,
                Err(error @ Error::Memory { .. }) => return Err(error),
                Err(error) => {
                    faults.push_back(Err(error));
                    continue;
                }
            };
            for import in imports.iter() {
                let (Some(geometry), Some(frames)) = (&import.geometry.found, &import.frames.found) else {
                    continue;
                };
                if !(geometry.path.is_in(folder) && frames.path.is_in(folder)) {
                    continue;
                }
                if let Some(reserved) = &mut reserved {
                    let texts = geometry.path.as_str().len() + frames.path.as_str().len();
                    let bytes = texts + size_of_val(frames) + 3 * size_of_val(&geometry.path);
                    let grown = reserved.grow(bytes, format_args!("the pairs of files in scripts"));
                    grown.map_err(|over| Error::memory(&file, over))?;
                }
                let pairs = scripts.pairs.entry(geometry.path.clone()).or_default();
                if !pairs.iter().any(|(known, _)| known.path == frames.path) {
                    pairs.push((frames.clone(), import.script.clone()));
                }
                scripts.paired.extend([geometry.path.clone(), frames.path.clone()]);
            }
        }
        scripts._reserved = reserved;
        Ok(scripts)
    }

    pub(crate) fn of(&self, geometry: &AssetPath) -> &[(FoundFile, Arc<ScriptMesh>)] {
        self.pairs.get(geometry).map(Vec::as_slice).unwrap_or_default()
    }
}
