//! The totals of the report: the files, their counts, and their findings by code.

use std::collections::BTreeMap;
use std::fmt::Write;

use meshlens::Code;
use meshlens::wire::Group;

use super::text::{escape, grouped};

/// The findings of all models by code.
#[derive(Default)]
pub(super) struct Codes(BTreeMap<&'static str, OfCode>);

struct OfCode {
    code: &'static Code,
    /// The number of models with findings of this code.
    files: u64,
    /// The number of values or places that the findings are about.
    count: u64,
}

impl Codes {
    /// Adds the findings of one model.
    pub(super) fn add(&mut self, groups: &[Group]) {
        for Group { code, count, .. } in groups {
            let of = self.0.entry(code.name).or_insert(OfCode { code, files: 0, count: 0 });
            of.files += 1;
            of.count = of.count.saturating_add(*count);
        }
    }

    /// The table of codes, the most severe first, then those with the most files. Empty without findings.
    pub(super) fn table(&self) -> String {
        let mut codes: Vec<&OfCode> = self.0.values().collect();
        if codes.is_empty() {
            return String::new();
        }
        codes.sort_by_key(|of| (of.code.severity as usize, std::cmp::Reverse(of.files)));
        let number = codes.len();
        let mut text = format!("<details><summary>Findings by code ({number})</summary>\n<table id=codes>");
        text += "<thead><tr><th scope=col>severity</th><th scope=col>code</th>";
        text += "<th scope=col class=n>files</th><th scope=col class=n>places</th>";
        text += "<th scope=col>findings</th></tr></thead><tbody>\n";
        for OfCode { code, files, count } in codes {
            let Code { name, severity, plural, .. } = code;
            let (files, count, plural) = (grouped(*files), grouped(*count), escape(plural));
            _ = writeln!(
                text,
                "<tr><td class={severity}>{severity}</td><td class=code>{name}</td>\
                 <td class=n>{files}</td><td class=n>{count}</td><td>{plural}</td></tr>"
            );
        }
        text + "</tbody></table></details>\n"
    }
}
