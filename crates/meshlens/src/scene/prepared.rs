//! What views and buffers compute from a pose, kept with it.

use alloc::sync::Arc;
use alloc::vec::Vec;
use core::sync::atomic::{AtomicU8, AtomicU32, Ordering};

use glam::DAffine3;

use super::{Attachment, Scene};
use crate::model::SkinMatrices;

type Matrix = [[f32; 4]; 4];

/// The matrices of a pose. They keep their memory while they are out of date.
#[derive(Clone, Debug, Default)]
pub(super) struct Prepared {
    nodes: Vec<PreparedNode>,
    /// Whether skins are those of the pose.
    is_complete: bool,
}

#[derive(Clone, Debug, Default)]
struct PreparedNode {
    /// The attachment of the node when the pose was set.
    attachment: Option<Attachment>,
    socket: KeptSocket,
    /// The bind poses of the meshes, and the matrices that move their vertices. Neighbors with the same bind pose share one.
    /// Levels of detail that are separate models are left out.
    skins: Vec<(Arc<[Matrix]>, SkinMatrices)>,
}

/// The transform of a socket, which the first reader computes: a crowd is not drawn as a whole. Several threads may be the
/// first; they store the same numbers.
#[derive(Debug, Default)]
struct KeptSocket {
    state: AtomicU8,
    /// The lower and the upper half of twelve numbers.
    halves: [AtomicU32; 24],
}

const UNKNOWN: u8 = 0;
const MISSING: u8 = 1;
const KNOWN: u8 = 2;

impl Clone for KeptSocket {
    fn clone(&self) -> Self {
        KeptSocket::default()
    }
}

impl KeptSocket {
    fn get(&self, compute: impl FnOnce() -> Option<DAffine3>) -> Option<DAffine3> {
        match self.state.load(Ordering::Acquire) {
            KNOWN => {
                let mut numbers = [0.0; 12];
                let (halves, _) = self.halves.as_chunks::<2>();
                for (number, [low, high]) in numbers.iter_mut().zip(halves) {
                    let [low, high] = [low, high].map(|half| u64::from(half.load(Ordering::Relaxed)));
                    *number = f64::from_bits(high << 32 | low);
                }
                Some(DAffine3::from_cols_array(&numbers))
            }
            MISSING => None,
            _ => {
                let made = compute();
                let numbers = made.map(|made| made.to_cols_array()).unwrap_or_default();
                let (halves, _) = self.halves.as_chunks::<2>();
                for (number, [low, high]) in numbers.iter().zip(halves) {
                    // The halves of the number.
                    low.store(number.to_bits() as u32, Ordering::Relaxed);
                    high.store((number.to_bits() >> 32) as u32, Ordering::Relaxed);
                }
                self.state.store(if made.is_some() { KNOWN } else { MISSING }, Ordering::Release);
                made
            }
        }
    }
}

impl Prepared {
    pub(super) const fn is_complete(&self) -> bool {
        self.is_complete
    }

    /// Before a change of the pose.
    pub(super) fn clear(&mut self) {
        self.is_complete = false;
        self.nodes.iter_mut().for_each(|node| *node.socket.state.get_mut() = UNKNOWN);
    }

    /// `joints` has the matrices of the joints of each node.
    pub(super) fn fill<'j>(&mut self, scene: &Scene<'_>, joints: impl Iterator<Item = &'j [Matrix]>) {
        self.clear();
        self.nodes.resize_with(scene.nodes.len(), PreparedNode::default);
        for ((node, joints), prepared) in scene.nodes.iter().zip(joints).zip(&mut self.nodes) {
            prepared.attachment = node.attachment;
            let mut count = 0usize;
            for bind in node.model.meshes.iter().filter_map(|mesh| mesh.skin.as_ref()) {
                let last = count.checked_sub(1).and_then(|last| prepared.skins.get(last));
                if last.is_some_and(|(last, _)| Arc::ptr_eq(last, bind)) {
                    continue;
                }
                if count == prepared.skins.len() {
                    prepared.skins.push((Arc::clone(bind), SkinMatrices::default()));
                }
                if let Some((of, matrices)) = prepared.skins.get_mut(count) {
                    of.clone_from(bind);
                    matrices.fill(joints, bind);
                }
                count += 1;
            }
            prepared.skins.truncate(count);
        }
        self.is_complete = true;
    }

    /// The transform of the socket of an attached node, which is computed if it is not known.
    pub(super) fn socket(
        &self,
        node: usize,
        attachment: Attachment,
        compute: impl FnOnce() -> Option<DAffine3>,
    ) -> Option<DAffine3> {
        match self.nodes.get(node).filter(|node| node.attachment == Some(attachment)) {
            Some(node) => node.socket.get(compute),
            None => compute(),
        }
    }

    /// The matrices that move the vertices of a mesh with this bind pose; `None` if they have to be computed.
    pub(super) fn skin(&self, node: usize, bind: &Arc<[Matrix]>) -> Option<&[Matrix]> {
        let mut skins = self.nodes.get(node).filter(|_| self.is_complete)?.skins.iter();
        skins.find(|(of, _)| Arc::ptr_eq(of, bind)).map(|(_, matrices)| matrices.matrices())
    }
}
