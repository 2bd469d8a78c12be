//! The findings of reports, their counts and their groups.

use meshlens_wire::*;

#[allow(unreachable_pub, dead_code, reason = "the macro is for modules of a public interface")]
mod codes {
    meshlens_wire::codes! {
        STYLE: Hint, "matters of style", "Style.", "Nothing.";
        BROKEN: Error, "broken places", "Broken.", "Mend it.";
    }
}
use codes::{BROKEN, STYLE};

fn add(report: &mut Report, code: &'static Code, offsets: std::ops::Range<u64>) {
    for offset in offsets {
        report.add(code, offset, format_args!("/a/{offset}"), format_args!("here"));
    }
}

#[test]
fn the_worst_findings_are_kept_and_all_are_counted() {
    let mut report = Report::with_capacity(3);
    add(&mut report, &STYLE, 0..5);
    add(&mut report, &BROKEN, 5..7);
    let offsets: Vec<_> = report.findings().filter_map(|finding| finding.offset).collect();
    assert_eq!(offsets, [5, 6, 0]);
    assert_eq!((report.count(Severity::Hint), report.count(Severity::Error), report.total()), (5, 2, 7));
    assert_eq!(report.worst(), Some(Severity::Error));
    assert!(report.is_truncated());
    assert_eq!(report.findings().next().unwrap().pointer, "/a/5");
}

#[test]
fn equal_findings_are_displayed_as_one_line() {
    let mut report = Report::with_capacity(1);
    add(&mut report, &STYLE, 3..796);
    add(&mut report, &BROKEN, 9..10);
    report.add_several(&STYLE, 7, 1, format_args!("/b"), format_args!("there"));
    let lines: Vec<String> = report.groups().map(ToString::to_string).collect();
    assert_eq!(lines, ["error BROKEN: here (/a/9) at 0x9", "hint STYLE: 800 matters of style; first /a/3"]);
    assert_eq!(report.groups().map(|group| group.findings).collect::<Vec<_>>(), [1, 794]);
}

#[test]
fn a_report_without_capacity_only_counts() {
    let mut report = Report::with_capacity(0);
    add(&mut report, &STYLE, 0..2);
    assert_eq!((report.findings().count(), report.groups().next().unwrap().count), (0, 2));
    assert!(report.groups().all(|group| group.first.is_none()));
}

#[test]
fn reports_add_up() {
    let (mut report, mut more) = (Report::with_capacity(2), Report::default());
    add(&mut report, &STYLE, 0..1);
    add(&mut more, &STYLE, 1..4);
    more.lose(&BROKEN, 5, format_args!(""), format_args!("5 of 9 positions moved"));
    more.lose(&BROKEN, 0, format_args!(""), format_args!("nothing moved"));
    report.append(more);
    let lines: Vec<String> = report.groups().map(ToString::to_string).collect();
    assert_eq!(lines, ["error BROKEN: 5 of 9 positions moved", "hint STYLE: 4 matters of style; first /a/0"]);
    assert_eq!((report.total(), report.findings().count()), (5, 2));
}

#[test]
fn a_parse_error_becomes_a_finding_with_its_code() {
    let error = meshlens_wire::Data::new("md3", b"").take(0, 4, "ident").unwrap_err();
    let mut report = Report::default();
    report.add_error(&error);
    let finding = report.findings().next().unwrap();
    assert_eq!((finding.code, finding.severity, finding.offset), ("OUT_OF_BOUNDS", Severity::Error, Some(0)));
    assert_eq!(finding.message, "md3: ident of 4 bytes at 0x0 end past the file (0x0)");
    assert!(!report.is_truncated());
}
