//! The machine and the build of a measurement.

use std::hint::black_box;
use std::sync::OnceLock;
use std::time::Instant;

use serde::Serialize;

#[derive(Serialize)]
pub(crate) struct Machine {
    /// The name of the processor; `None` if the system does not report it.
    pub(crate) processor: Option<String>,
    architecture: &'static str,
    system: &'static str,
    /// The frequency of the core at the beginning of the measurement, by [`cycle_seconds`].
    pub(crate) gigahertz: f64,
}

impl Machine {
    pub(crate) fn current() -> Machine {
        let (architecture, system) = (std::env::consts::ARCH, std::env::consts::OS);
        Machine { processor: processor(), architecture, system, gigahertz: 1e-9 / cycle_seconds() }
    }
}

/// The name of the processor, with its family and model, because different processors may have the same name.
fn processor() -> Option<String> {
    let text = std::fs::read_to_string("/proc/cpuinfo").ok()?;
    let field = |name: &str| {
        let mut fields = text.lines().filter_map(|line| line.split_once(':'));
        fields.find(|(key, _)| key.trim() == name).map(|(_, value)| value.trim().to_owned())
    };
    let name = field("model name")?;
    Some(match (field("cpu family"), field("model")) {
        (Some(family), Some(model)) => format!("{name} (family {family}, model {model})"),
        _ => name,
    })
}

/// The average number of running and waiting processes during the last minute.
pub(crate) fn load() -> Option<f64> {
    std::fs::read_to_string("/proc/loadavg").ok()?.split(' ').next()?.parse().ok()
}

/// The duration of a cycle of the core, from a chain of multiplications and exclusive ors that wait for one another: on the
/// cores of x86-64 and ARM64 of the last ten years, they take three cycles and one. A build without optimization takes longer.
/// The counters of the processor need rights that a virtual machine does not give, and its clock (`rdtsc`) does not run at the
/// frequency of the core. The fastest of several chains, measured once.
pub(crate) fn cycle_seconds() -> f64 {
    static CYCLE: OnceLock<f64> = OnceLock::new();
    const LENGTH: u32 = 100_000;
    *CYCLE.get_or_init(|| {
        let chain = |_| {
            let start = Instant::now();
            let factor = black_box(0x9e37_79b9_7f4a_7c15_u64);
            // Multiplications alone would be associated differently by the compiler, and would not wait.
            black_box((0..LENGTH).fold(factor, |product, _| product.wrapping_mul(factor) ^ 1));
            start.elapsed().as_secs_f64() / f64::from(4 * LENGTH)
        };
        (0..20).map(chain).fold(f64::MAX, f64::min)
    })
}
