//! The findings about a model, grouped by code like in `meshlens inspect`, and their locations.

use meshlens::{Finding, Report, Severity};

use crate::text;

/// All findings with one code.
#[derive(Clone, Debug)]
pub struct Group {
    /// The severity.
    pub severity: Severity,
    /// The name of the code.
    pub code: &'static str,
    /// The number of values or places that the findings are about.
    pub count: u64,
    /// The findings in one line: one finding as it is, or the number of several.
    pub text: String,
    /// The findings that are listed. The others are only counted.
    pub found: Vec<ModelFinding>,
}

/// A finding and its location.
#[derive(Clone, Debug)]
pub struct ModelFinding {
    /// The finding.
    pub finding: Finding,
    /// The location, if it is a part of the model.
    pub place: FindingTarget,
}

/// The part of a model that a finding is about. Indices are taken from the finding, and are not checked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FindingTarget {
    /// The part of a player.
    pub part: usize,
    /// The mesh.
    pub mesh: Option<usize>,
    /// The triangle of the mesh.
    pub triangle: Option<usize>,
    /// The vertex of the mesh.
    pub vertex: Option<usize>,
    /// The frame.
    pub frame: Option<usize>,
    /// The tag.
    pub tag: Option<usize>,
}

impl FindingTarget {
    /// Returns the place that a pointer describes, such as `/surfaces/2/triangles/17`.
    ///
    /// ```
    /// use meshlens_viewer::findings::FindingTarget;
    ///
    /// let place = FindingTarget::of(0, "/surfaces/2/triangles/17");
    /// assert_eq!((place.mesh, place.triangle), (Some(2), Some(17)));
    /// ```
    pub fn of(part: usize, pointer: &str) -> FindingTarget {
        let mut place = FindingTarget { part, ..FindingTarget::default() };
        let mut words = pointer.split('/').skip(1).peekable();
        while let Some(word) = words.next() {
            let Some(index) = words.peek().and_then(|next| next.parse().ok()) else { continue };
            match word {
                "surfaces" | "meshes" => place.mesh = Some(index),
                "triangles" | "indices" => place.triangle = Some(index),
                "vertices" | "positions" | "normals" | "texcoords" => place.vertex = Some(index),
                "frames" => place.frame = Some(index),
                "tags" => place.tag = Some(index),
                _ => {}
            }
        }
        place
    }

    /// Whether the place is a part of the model, not the whole model.
    pub fn is_any(&self) -> bool {
        self.mesh.is_some() || self.frame.is_some() || self.tag.is_some()
    }
}

/// The groups of the findings in reports, the most severe first, and the number of findings of each severity. Each
/// report is about the part with this index.
pub(crate) fn group(reports: &[(usize, Report)]) -> (Vec<Group>, [(Severity, u64); 4]) {
    let mut all = Report::default();
    reports.iter().for_each(|(_, report)| all.append(report.clone()));
    let of = |group: &meshlens::wire::Group| {
        let code = group.code;
        let list = |(part, report): &(usize, Report)| -> Vec<ModelFinding> {
            let same = report.findings().filter(|finding| finding.code == code.name);
            let found = |finding: &Finding| ModelFinding {
                place: FindingTarget::of(*part, &finding.pointer),
                finding: finding.clone(),
            };
            same.map(found).collect()
        };
        Group {
            severity: code.severity,
            code: code.name,
            count: group.count,
            text: text::line(&group.to_string()),
            found: reports.iter().flat_map(list).collect(),
        }
    };
    let groups = all.groups().map(of).collect();
    (groups, Severity::ALL.map(|severity| (severity, all.count(severity))))
}
