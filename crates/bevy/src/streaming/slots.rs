//! The wanted models. A handle contains the slot of its model, so that no lookup by name is needed in a frame.

use std::collections::HashMap;
use std::sync::Arc;

use super::StreamHandle;
use super::model::{ModelRequest, StreamedModel};

/// The models by slot, and the slots by name.
#[derive(Default)]
pub(super) struct Slots {
    models: Vec<Option<StreamedModel>>,
    free: Vec<usize>,
    names: HashMap<Arc<str>, usize>,
}

impl Slots {
    /// The handle of a model. It is new if the model has no handles yet.
    pub(super) fn want(&mut self, name: &str) -> StreamHandle {
        let known = self.names.get(name).copied();
        let model = known.and_then(|slot| self.models.get(slot)?.as_ref());
        if let Some(wanted) = model.and_then(|model| model.wanted.upgrade()) {
            return StreamHandle(wanted);
        }
        let slot = known.or_else(|| self.free.pop()).unwrap_or(self.models.len());
        let wanted = Arc::new(ModelRequest { name: name.into(), slot });
        if slot == self.models.len() {
            self.models.push(None);
        }
        self.models[slot] = Some(StreamedModel::new(&wanted));
        self.names.insert(wanted.name.clone(), slot);
        StreamHandle(wanted)
    }

    /// Drops models without handles.
    pub(super) fn drop_unwanted(&mut self) {
        let Slots { models, free, names } = self;
        let before = free.len();
        for (slot, model) in models.iter_mut().enumerate() {
            if model.take_if(|model| !model.is_wanted()).is_some() {
                free.push(slot);
            }
        }
        if free.len() > before {
            names.retain(|_, slot| models[*slot].is_some());
        }
    }

    pub(super) fn len(&self) -> usize {
        self.models.len() - self.free.len()
    }

    /// The model of a handle. Its slot is not reused until the handle is dropped.
    pub(super) fn get(&self, handle: &StreamHandle) -> Option<&StreamedModel> {
        self.at(handle.0.slot)
    }

    pub(super) fn get_mut(&mut self, handle: &StreamHandle) -> Option<&mut StreamedModel> {
        self.at_mut(handle.0.slot)
    }

    pub(super) fn at(&self, slot: usize) -> Option<&StreamedModel> {
        self.models.get(slot)?.as_ref()
    }

    pub(super) fn at_mut(&mut self, slot: usize) -> Option<&mut StreamedModel> {
        self.models.get_mut(slot)?.as_mut()
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (usize, &StreamedModel)> {
        self.models.iter().enumerate().filter_map(|(slot, model)| Some((slot, model.as_ref()?)))
    }

    pub(super) fn iter_mut(&mut self) -> impl Iterator<Item = &mut StreamedModel> {
        self.models.iter_mut().flatten()
    }
}
