//! Keeps models in a struct. A `Model` borrows the bytes of its file; an `Asset` owns both, and clones share them.
//!
//! ```sh
//! cargo run -p meshlens-assets --example owned_model
//! ```

use std::collections::HashMap;

use meshlens_assets::{Asset, Assets, Result};

/// The models of a level, by name.
struct Level {
    assets: Assets,
    models: HashMap<String, Asset>,
}

/// One object in the level.
struct Object {
    model: Asset,
    frame: usize,
}

impl Level {
    fn new(folder: &str) -> Result<Level> {
        let mut assets = Assets::new();
        assets.mount_folder(folder)?;
        Ok(Level { assets, models: HashMap::new() })
    }

    /// Opens a model once; further objects share it.
    fn spawn(&mut self, name: &str) -> Result<Object> {
        let model = match self.models.get(name) {
            Some(model) => model.clone(),
            None => {
                let model = self.assets.open(name)?;
                self.models.insert(name.to_owned(), model.clone());
                model
            }
        };
        Ok(Object { model, frame: 0 })
    }
}

impl Object {
    fn advance(&mut self) {
        self.frame = (self.frame + 1) % self.model.model().frame_count().max(1);
    }
}

fn main() -> Result<()> {
    let mut level = Level::new("corpus")?;
    let mut objects = vec![level.spawn("md3/animated.md3")?, level.spawn("md3/animated.md3")?];
    objects.push(level.spawn("unreal/Models/ring_d.3d")?);
    for object in &mut objects {
        object.advance();
        println!("{}: frame {}", object.model.path(), object.frame);
    }
    println!("{} objects, {} models in memory", objects.len(), level.models.len());
    Ok(())
}
