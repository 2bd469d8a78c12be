//! The memory of an import. Growing memory is charged to the limit of one file and to a budget that calls share.

use std::fmt;

use meshlens::wire::{Budget, OverBudget, Reservation};

use super::document::{Material, Mesh, Primitive, Texture};
use super::node::Node;
use crate::Error;
use crate::json::{Accessor, Animation, Buffer, BufferView, Channel, Image, Sampler, Skin, Target};
use crate::memory::ROOM;

/// The memory of one import.
pub(super) struct Memory {
    /// Charged to the limit of one file.
    file: Reservation,
    /// Charged to the budget that several calls share.
    shared: Reservation,
}

impl Memory {
    pub(super) fn new(limit: usize, budget: &Budget) -> Memory {
        Memory { file: Budget::new(limit).empty(), shared: budget.empty() }
    }

    /// Charges bytes before they are allocated. They are released with the model.
    pub(super) fn charge(&mut self, bytes: usize, what: fmt::Arguments<'_>) -> Result<(), Error> {
        self.file.grow(bytes, what).map_err(|over| {
            // The limit only applies to this file, so the file needs the sum of both.
            let bytes = over.bytes.saturating_add(over.reserved);
            OverBudget { bytes, reserved: 0, ..over }
        })?;
        Ok(self.shared.grow(bytes, what)?)
    }

    /// Charges the records of a document before its text is parsed. An object of the text becomes at most one record, and an
    /// element or a member at most a string.
    pub(super) fn charge_records(&mut self, text: &[u8]) -> Result<(), Error> {
        let len = text.len();
        let what = format_args!("a document of {len} bytes of JSON");
        // The strings, in the document and in the model. A text that is too long is refused before its members are
        // counted.
        self.charge(len.saturating_mul(2), what)?;
        let (mut records, mut elements) = (1usize, 1usize);
        for byte in text {
            records += usize::from(*byte == b'{');
            elements += usize::from(matches!(byte, b',' | b'['));
        }
        let bytes =
            records.saturating_mul(record()).saturating_add(elements.saturating_mul(size_of::<String>()));
        self.charge(bytes.saturating_mul(ROOM), what)
    }

    /// The reservation of the model.
    pub(super) fn into_shared(self) -> Reservation {
        self.shared
    }
}

/// The length of a number in a name, with its separator.
pub(super) const NUMBER: usize = 24;

/// The size of the largest record.
fn record() -> usize {
    let sizes = [
        size_of::<Accessor>(),
        size_of::<Animation>(),
        size_of::<Buffer>(),
        size_of::<BufferView>(),
        size_of::<Channel>(),
        size_of::<Image>(),
        size_of::<Material>(),
        size_of::<Mesh>(),
        size_of::<Node>(),
        size_of::<Primitive>(),
        size_of::<Sampler>(),
        size_of::<Skin>(),
        size_of::<Target>(),
        size_of::<Texture>(),
    ];
    sizes.into_iter().max().unwrap_or_default()
}
