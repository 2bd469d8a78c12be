//! Answers of a bucket's server to requests for a list: bodies that are separated by 0, each after a byte for its status.
#![no_main]

use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, LazyLock, Mutex};

use meshlens_stream::Error;
use meshlens_stream::backend::{ObjectStoreBackend, RemoteOptions, open_url};

const FOLDER: &str = "m";
const END: &[u8] = b"\0<ListBucketResult></ListBucketResult>";

static ANSWERS: Mutex<VecDeque<Vec<u8>>> = Mutex::new(VecDeque::new());
static BUCKET: LazyLock<Arc<ObjectStoreBackend>> = LazyLock::new(|| {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let address = listener.local_addr().expect("its address");
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            std::thread::spawn(move || serve(stream));
        }
    });
    let settings = [("ENDPOINT", format!("http://{address}")), ("REGION", "us-east-1".into())];
    for (name, value) in
        settings.into_iter().chain([("ALLOW_HTTP", "1".into()), ("SKIP_SIGNATURE", "1".into())])
    {
        // SAFETY: no other thread reads variables yet.
        unsafe { std::env::set_var(format!("AWS_{name}"), value) };
    }
    let options = RemoteOptions { retries: 0, ..RemoteOptions::default() };
    Arc::new(open_url("s3://bucket/m/", &options).expect("a bucket").0)
});

fn serve(mut stream: TcpStream) -> std::io::Result<()> {
    stream.set_nodelay(true)?;
    let mut lines = BufReader::new(stream.try_clone()?);
    loop {
        let mut line = String::new();
        while line != "\r\n" {
            line.clear();
            if lines.read_line(&mut line)? == 0 {
                return Ok(());
            }
        }
        let next = ANSWERS.lock().expect("no panic").pop_front();
        let answer = next.unwrap_or_else(|| END.into());
        let (status, body) = answer.split_first().unwrap_or((&0, &[]));
        let status = ["200 OK", "200 OK", "403 Forbidden", "404 Not Found", "301 Moved Permanently"]
            [usize::from(*status) % 5];
        let mut reply = format!("HTTP/1.1 {status}\r\nContent-Length: {}\r\n\r\n", body.len()).into_bytes();
        reply.extend(body);
        stream.write_all(&reply)?;
    }
}

libfuzzer_sys::fuzz_target!(init: meshlens_terminal::escape_panics(), |bytes: &[u8]| {
    let bucket = BUCKET.clone();
    *ANSWERS.lock().expect("no panic") = bytes.split(|byte| *byte == 0).map(<[u8]>::to_vec).collect();
    let _ = bucket.each_page::<Error>(FOLDER, |page| {
        let objects = page.objects.iter().map(|object| object.location.as_ref());
        for name in objects.chain(page.common_prefixes.iter().map(AsRef::as_ref)) {
            let inside = name.strip_prefix(FOLDER).and_then(|rest| rest.strip_prefix('/'));
            let is_plain = |name: &str| !["", ".", ".."].contains(&name) && !name.contains('/');
            assert!(inside.is_some_and(is_plain), "{name:?} is not in the folder");
        }
        Ok(())
    });
});
