//! Custom backends: an HTTP server that is read in ranges with only the standard library, and a pack file with an
//! index. The example serves a model of the corpus, streams it from both, and compares them.
//!
//! ```sh
//! cargo run -p meshlens-stream --example own_backend -- corpus/md3/animated.md3
//! ```

use std::collections::HashMap;
use std::error::Error;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read as _, Seek, SeekFrom, Write};
use std::net::{TcpListener, TcpStream};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;

use meshlens_stream::backend::{Backend, BlockingBackend};
use meshlens_stream::{Part, Priority, Streamer, StreamerOptions};

/// The files of an HTTP server, such as `127.0.0.1:8000`.
fn http(host: String) -> io::Result<BlockingBackend> {
    BlockingBackend::new(16, move |read| match get(&host, read.file(), read.range()) {
        Ok((bytes, file_len)) => read.finish_with(bytes.into(), file_len, None),
        Err(error) => read.fail_with(&error),
    })
}

/// Gets the bytes of a range, and the length of the whole file. A client library would do this in one call.
fn get(host: &str, file: &str, range: Range<u64>) -> io::Result<(Vec<u8>, u64)> {
    let mut server = BufReader::new(TcpStream::connect(host)?);
    // HTTP has no empty ranges.
    let last = range.end.max(range.start + 1) - 1;
    let request = format!("GET /{file} HTTP/1.0\r\nRange: bytes={}-{last}\r\n\r\n", range.start);
    server.get_mut().write_all(request.as_bytes())?;
    let head = head(&mut server)?;
    if head.first().is_some_and(|status| status.contains(" 404 ")) {
        return Err(io::ErrorKind::NotFound.into());
    }
    // `Content-Range: bytes 0-99/1234`; without it the server does not support ranges.
    let line = head.iter().find_map(|line| line.strip_prefix("Content-Range: bytes "));
    let file_len = line.and_then(|line| line.split('/').nth(1)?.parse().ok());
    let file_len = file_len.ok_or_else(|| io::Error::other("the server answers without a range"))?;
    let mut bytes = Vec::new();
    server.take(range.end - range.start).read_to_end(&mut bytes)?;
    Ok((bytes, file_len))
}

/// The lines of a request or an answer before its body.
fn head(stream: &mut impl BufRead) -> io::Result<Vec<String>> {
    stream.lines().take_while(|line| !line.as_ref().is_ok_and(String::is_empty)).collect()
}

/// The files of a pack: one file after another, and an index of their ranges.
fn pack(path: PathBuf, index: HashMap<String, Range<u64>>) -> io::Result<BlockingBackend> {
    BlockingBackend::new(2, move |mut read| {
        let Some(entry) = index.get(&**read.file()) else {
            return read.fail_with(&io::Error::from(io::ErrorKind::NotFound));
        };
        let (range, file_len) = (read.range(), entry.end - entry.start);
        let len = (range.end.min(file_len) - range.start.min(file_len)) as usize;
        let room = &mut read.buffer()[..len];
        match read_at(&path, entry.start + range.start, room) {
            Ok(()) => read.finish(len, file_len, None),
            Err(error) => read.fail_with(&error),
        }
    })
}

fn read_at(path: &Path, offset: u64, room: &mut [u8]) -> io::Result<()> {
    let mut file = File::open(path)?;
    file.seek(SeekFrom::Start(offset))?;
    file.read_exact(room)
}

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args().nth(1).unwrap_or_else(|| "corpus/md3/animated.md3".to_owned());
    let model = std::fs::read(&path)?;
    let host = serve(model.clone())?;
    // A pack of one file, after a header of 16 bytes.
    let packed = std::env::temp_dir().join(format!("meshlens-own-backend-{}.pack", std::process::id()));
    std::fs::write(&packed, [&[0; 16], &model[..]].concat())?;
    let index = HashMap::from([("model".to_owned(), 16..16 + model.len() as u64)]);

    let streamer = Streamer::new(StreamerOptions::default())?;
    let backends: [Arc<dyn Backend>; 2] = [Arc::new(http(host)?), Arc::new(pack(packed.clone(), index)?)];
    let mut read = 0;
    for (what, backend) in ["HTTP", "pack"].into_iter().zip(backends) {
        let streamed = streamer.open(backend, ["model"]);
        let loaded =
            streamer.request(&streamed, Part::Mesh { mesh: 0, frame: 0 }, Priority::NORMAL).wait()?;
        let total = streamer.statistics().bytes_read;
        println!(
            "{what}: {} points; {} bytes of {} were read",
            loaded.mesh()?.point_count(),
            total - read,
            model.len()
        );
        read = total;
    }
    std::fs::remove_file(packed)?;
    Ok(())
}

/// Serves one file, as a web server would. Returns the address.
fn serve(file: Vec<u8>) -> io::Result<String> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let host = listener.local_addr()?.to_string();
    thread::spawn(move || {
        for client in listener.incoming().flatten() {
            // The client may close its end at any time.
            let _ = answer(client, &file);
        }
    });
    Ok(host)
}

fn answer(mut client: TcpStream, file: &[u8]) -> io::Result<()> {
    let request = head(&mut BufReader::new(client.try_clone()?))?;
    let range = request.iter().find_map(|line| line.strip_prefix("Range: bytes=")?.split_once('-'));
    let parse = |number: &str| number.parse().ok();
    let range = range.and_then(|(start, last)| Some(parse(start)?..file.len().min(parse(last)? + 1)));
    match range.filter(|range| range.start < range.end) {
        Some(range) => {
            write!(client, "HTTP/1.0 206 Partial Content\r\n")?;
            write!(client, "Content-Range: bytes {}-{}/{}\r\n\r\n", range.start, range.end - 1, file.len())?;
            client.write_all(&file[range])
        }
        None => write!(client, "HTTP/1.0 416 Range Not Satisfiable\r\n\r\n"),
    }
}
