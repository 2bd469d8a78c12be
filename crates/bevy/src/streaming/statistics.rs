//! The statistics of the streamer as diagnostics.

use bevy::app::App;
use bevy::diagnostic::{Diagnostic, DiagnosticPath, Diagnostics, RegisterDiagnostic};
use bevy::ecs::prelude::*;

use super::MeshStreamer;

/// The paths of the diagnostics of a [`StreamingPlugin`](crate::StreamingPlugin).
pub struct StreamingDiagnostics;

impl StreamingDiagnostics {
    /// The number of reads.
    pub const READS: DiagnosticPath = DiagnosticPath::const_new("meshlens/reads");
    /// The number of bytes that were read.
    pub const BYTES_READ: DiagnosticPath = DiagnosticPath::const_new("meshlens/bytes_read");
    /// The number of bytes of memory in use.
    pub const MEMORY: DiagnosticPath = DiagnosticPath::const_new("meshlens/memory");
    /// The number of requests that have not ended.
    pub const REQUESTS: DiagnosticPath = DiagnosticPath::const_new("meshlens/requests");
    /// The number of models that are wanted, but not shown yet.
    pub const PENDING: DiagnosticPath = DiagnosticPath::const_new("meshlens/pending");
}

pub(super) fn register(app: &mut App) {
    app.register_diagnostic(Diagnostic::new(StreamingDiagnostics::READS))
        .register_diagnostic(Diagnostic::new(StreamingDiagnostics::BYTES_READ).with_suffix(" B"))
        .register_diagnostic(Diagnostic::new(StreamingDiagnostics::MEMORY).with_suffix(" B"))
        .register_diagnostic(Diagnostic::new(StreamingDiagnostics::REQUESTS))
        .register_diagnostic(Diagnostic::new(StreamingDiagnostics::PENDING));
}

pub(super) fn measure(streamer: Res<MeshStreamer>, mut diagnostics: Diagnostics) {
    let statistics = streamer.statistics();
    let (wanted, shown) = streamer.counts();
    diagnostics.add_measurement(&StreamingDiagnostics::READS, || statistics.reads as f64);
    diagnostics.add_measurement(&StreamingDiagnostics::BYTES_READ, || statistics.bytes_read as f64);
    diagnostics.add_measurement(&StreamingDiagnostics::MEMORY, || statistics.memory_used as f64);
    diagnostics.add_measurement(&StreamingDiagnostics::REQUESTS, || {
        streamer.models.iter().map(|(_, model)| model.requests().count()).sum::<usize>() as f64
    });
    diagnostics.add_measurement(&StreamingDiagnostics::PENDING, || (wanted - shown) as f64);
}
