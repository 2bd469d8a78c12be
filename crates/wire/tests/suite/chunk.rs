//! Walks over valid and broken chunks.

use meshlens_wire::*;
use meshlens_wire::{Piece, PieceList};

fn chunk(identifier: &str, body: &[u8]) -> Vec<u8> {
    [identifier.as_bytes(), &[0], &(body.len() as u32).to_le_bytes(), body].concat()
}

fn walk(bytes: &[u8]) -> Chunks<'_> {
    Chunks::new(Data::new("test", bytes), 0, &Limits::DEFAULT)
}

#[test]
fn chunks_and_chunks_inside() {
    let inner = [chunk("$IN", b"ab"), chunk("", b"")].concat();
    let outer = chunk("$OUT", &[&b"xyz"[..], &inner].concat());
    let bytes = [outer, chunk("$U3DC_OTHER", &[])].concat();
    let mut top = walk(&bytes);
    let outer = top.next().unwrap().unwrap();
    assert_eq!((outer.identifier(), outer.offset(), outer.depth()), (Name::new(b"$OUT"), 0, 0));
    assert_eq!(outer.body().byte_range(), 9..27);
    let inside = top.inside(&outer, 12).unwrap();
    let inside: Vec<_> =
        inside.map(|chunk| chunk.map(|c| (c.offset(), c.body().count(), c.depth()))).collect();
    assert_eq!(inside, [Ok((12, 2, 1)), Ok((22, 0, 1))]);
    assert_eq!(top.offset(), 27);
    assert_eq!(top.next().unwrap().unwrap().identifier(), "$U3DC_OTHER");
    assert!(top.next().is_none() && top.next().is_none());
}

#[test]
fn every_truncation_is_one_error_with_an_offset() {
    let bytes = [chunk("$A", b"12345"), chunk("$B", b"678")].concat();
    for len in 1..bytes.len() {
        if len == 12 {
            continue;
        }
        let mut chunks = walk(&bytes[..len]);
        let error = chunks.by_ref().find_map(Result::err).expect("the walk ends with an error");
        assert_eq!(error.code(), "OUT_OF_BOUNDS");
        let start = if len < 12 { 0 } else { 12 };
        assert!(error.offset() == start || error.offset() == start + 7, "{error}");
        assert!(chunks.next().is_none());
    }
    assert_eq!(walk(&bytes[..12]).count(), 1);
}

#[test]
fn a_chunk_fits_into_its_parent() {
    let mut inner = chunk("$IN", b"ab");
    inner[4] = 3;
    let bytes = [chunk("$OUT", &inner), vec![0; 8]].concat();
    let mut top = walk(&bytes);
    let outer = top.next().unwrap().unwrap();
    let error = top.inside(&outer, outer.body().offset()).unwrap().next().unwrap().unwrap_err();
    assert_eq!(error.to_string(), "test: chunk body of 3 bytes at 0x11 end past their chunk (0x13)");
    assert!(top.inside(&outer, outer.end() + 1).is_err() && top.inside(&outer, 0).is_err());
}

#[test]
fn sizes_that_overflow_and_identifiers_without_end() {
    let mut bytes = chunk("$A", b"");
    bytes[3..7].fill(0xff);
    let error = walk(&bytes).next().unwrap().unwrap_err();
    assert_eq!((error.code(), error.offset()), ("OUT_OF_BOUNDS", 7));
    let error = walk(&[b'x'; 1000]).next().unwrap().unwrap_err();
    assert_eq!((error.code(), error.offset()), ("VALUE", 0));
    assert_eq!(walk(&chunk(&"x".repeat(255), b"")).filter(Result::is_ok).count(), 1);
    assert_eq!(walk(&chunk(&"x".repeat(256), &[1; 9])).filter(Result::is_ok).count(), 0);
}

#[test]
fn the_depth_of_chunks_is_limited() {
    let mut bytes = chunk("$LAST", b"");
    for _ in 0..4 {
        bytes = chunk("$N", &bytes);
    }
    let limits = Limits { depth: 3, ..Limits::DEFAULT };
    let mut chunks = Chunks::new(Data::new("test", &bytes), 0, &limits);
    for depth in 0..=3 {
        let chunk = chunks.next().unwrap().unwrap();
        assert_eq!(chunk.depth(), depth);
        match chunks.inside(&chunk, chunk.body().offset()) {
            Ok(inside) => chunks = inside,
            Err(error) => assert_eq!((depth, error.code()), (3, "LIMIT")),
        }
    }
}

#[test]
fn a_prefix_requests_the_next_header() {
    let bytes = [chunk("$A", &[7; 100]), chunk("$B", b"")].concat();
    let data = Data::prefix("test", &bytes[..20], bytes.len() as u64);
    let mut chunks = Chunks::new(data, 0, &Limits::DEFAULT);
    assert_eq!(chunks.next().unwrap().unwrap().end(), 107);
    let error = chunks.next().unwrap().unwrap_err();
    assert_eq!(error.kind(), &ErrorKind::Incomplete { needed: 108, available: 20 });
}

#[test]
fn only_the_headers_of_two_gigabytes_are_read() {
    let size = 2u32 << 20;
    let header = [&b"$U3D_MESH\0"[..], &size.to_le_bytes()].concat();
    let stride = u64::from(size) + header.len() as u64;
    let pieces: Vec<_> = (0..1024).map(|index| Piece { offset: index * stride, bytes: &header }).collect();
    let pieces = PieceList::new(&pieces, 1024 * stride).unwrap();
    let data = Data::of_pieces("test", &pieces);
    assert!(data.file_len() > 2 << 30);
    let chunks = Chunks::new(data, 0, &Limits::DEFAULT);
    assert_eq!(chunks.filter(|chunk| chunk.is_ok_and(|c| c.identifier() == "$U3D_MESH")).count(), 1024);
}
