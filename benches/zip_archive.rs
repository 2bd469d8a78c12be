//! Writes archives of many entries for the benches (APPNOTE 4.3).

/// A zip archive of empty stored entries. It has Zip64 records if there are more than 65,534 entries.
pub fn empty_entries(names: impl Iterator<Item = String>) -> Vec<u8> {
    let (mut archive, mut directory, mut count) = (Vec::new(), Vec::new(), 0u64);
    for name in names {
        let offset = u32::try_from(archive.len()).expect("less than 4 GiB");
        let len = u16::try_from(name.len()).expect("a short name");
        // The fields from the required version to the size: version 2.0, stored, 1980-01-01, CRC-32 and sizes of 0.
        let fields = [20u16, 0, 0, 0, 0x21, 0, 0, 0, 0, 0, 0, len, 0];
        let fields: Vec<u8> = fields.into_iter().flat_map(u16::to_le_bytes).collect();
        archive.extend(b"PK\x03\x04");
        archive.extend(&fields);
        archive.extend(name.as_bytes());
        directory.extend(b"PK\x01\x02\x14\x00");
        directory.extend(&fields);
        // No comment, disk 0, no attributes.
        directory.extend([0; 10]);
        directory.extend(offset.to_le_bytes());
        directory.extend(name.as_bytes());
        count += 1;
    }
    let (start, len) = (archive.len() as u64, directory.len() as u64);
    let end = start + len;
    archive.extend(directory);
    if count > 0xFFFE {
        // The Zip64 end record, and its locator.
        archive.extend(b"PK\x06\x06");
        archive.extend(44u64.to_le_bytes());
        archive.extend([45u16, 45, 0, 0, 0, 0].into_iter().flat_map(u16::to_le_bytes));
        archive.extend([count, count, len, start].into_iter().flat_map(u64::to_le_bytes));
        archive.extend(b"PK\x06\x07\0\0\0\0");
        archive.extend(end.to_le_bytes());
        archive.extend(1u32.to_le_bytes());
    }
    let count = count.min(0xFFFF) as u16;
    archive.extend(b"PK\x05\x06\0\0\0\0");
    archive.extend([count, count].into_iter().flat_map(u16::to_le_bytes));
    archive.extend([len, start].into_iter().flat_map(|value| (value as u32).to_le_bytes()));
    archive.extend([0; 2]);
    archive
}
