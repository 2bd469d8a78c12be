//! The table of a pack: whatever it says, it only saves reads.

use meshlens_stream::{
    Bytes, FilePieces, Plan, PlanTable, PlanTableBuilder, Probe, ProbeOptions, Step, TableFile,
};

/// The name of the file that the tables are about.
const FILE: &str = "flag.md3";
/// The bytes of a table before its checksum.
const UNCHECKED: usize = 16;

fn file() -> Vec<u8> {
    meshlens_md3::write::sample(&[0.0, 8.0]).expect("a small model")
}

/// A table of one small file.
pub fn small_plan_table() -> Vec<u8> {
    let mut builder = PlanTableBuilder::default();
    builder.add(&[(FILE, &file())]).expect("a model").expect("room");
    builder.finish()
}

/// A table with any content is refused or has only bytes of itself, and a probe that begins with them ends. The checksum and
/// the length are made right, so that the rest is read. A table that is as it was written gives the plan of the file.
pub fn plan_table(bytes: &[u8]) {
    super::checked(PlanTable::parse(bytes.to_vec().into()), bytes);
    let mut sound = bytes.to_vec();
    if let (Some(rest), len) = (bytes.get(UNCHECKED + 8..), bytes.len() as u64) {
        let covered = [&len.to_le_bytes(), rest].concat();
        let head = [&b"mlplans\0\x01\0\0\0"[..], &crc32fast::hash(&covered).to_le_bytes()].concat();
        sound = [head, covered].concat();
    }
    let Ok(table) = PlanTable::parse(sound.clone().into()) else { return };
    let file = file();
    let wanted = TableFile { name: FILE, len: file.len() as u64, crc32: crc32fast::hash(&file) };
    let Some(known) = table.find(&[wanted]) else { return };
    let Some(headers) = known.headers() else { return };
    let loaded: u64 = headers.iter().map(FilePieces::len).sum();
    assert!(loaded <= sound.len() as u64, "{loaded} bytes of {}", sound.len());
    let mut probe = Probe::new(&[wanted.len], ProbeOptions::default());
    for range in headers.iter().flat_map(FilePieces::ranges) {
        let piece = headers[0].get(range.clone()).expect("a loaded range");
        probe.feed(0, range.start, piece);
    }
    let whole = Bytes::from(file);
    let plan = loop {
        match probe.step() {
            Ok(Step::Plan(plan)) => break Some(plan),
            Ok(Step::Wants(ranges)) => {
                for range in ranges {
                    probe.feed(
                        range.file,
                        range.start,
                        whole.slice(range.start as usize..range.end as usize),
                    );
                }
            }
            Err(_) => break None,
        }
    };
    if sound == small_plan_table() {
        assert_eq!(plan, Plan::of(&[&whole]).ok());
    }
}
