//! The machine and the build of a measurement.

use serde::Serialize;

#[derive(Serialize)]
pub(crate) struct Machine {
    /// The name of the processor; `None` if the system does not report it.
    processor: Option<String>,
    architecture: &'static str,
    system: &'static str,
}

impl Machine {
    pub(crate) fn current() -> Machine {
        let (architecture, system) = (std::env::consts::ARCH, std::env::consts::OS);
        Machine { processor: processor(), architecture, system }
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
