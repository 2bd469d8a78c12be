//! `meshlens plan`, and URLs.

#[cfg(feature = "remote")]
use meshlens_testkit::real;
use serde_json::{Value, json};

use crate::shared::{meshlens, stderr, stdout};

#[test]
fn parts_with_their_ranges_and_sizes() {
    let output = meshlens(&["plan", "corpus/md3/animated.md3"]);
    assert_eq!((output.status.code(), stderr(&output)), (Some(0), ""));
    let lines: Vec<&str> = stdout(&output).lines().collect();
    assert_eq!(lines[0], "corpus/md3/animated.md3");
    assert!(lines[1].starts_with("md3 15, ") && lines[1].contains(" bytes, 1 mesh"), "{}", lines[1]);
    assert!(lines[2].starts_with("  part ") && lines[2].contains(" stored  decoded"), "{}", lines[2]);
    // The bounds are in frame 0: 56 bytes after the header of 108 bytes. They decode to two corners.
    let bounds: Vec<&str> =
        lines.iter().find(|line| line.contains(" bounds ")).unwrap().split_whitespace().collect();
    assert_eq!(bounds, ["bounds", "0x6c..0xa4", "56", "24"]);
    // 35 vertices of 8 bytes become positions and normals of 24.
    let frames = lines.iter().find(|line| line.contains("frames 0 to ")).unwrap();
    assert!(frames.contains(" x 280 ") && frames.contains(" x 840"), "{frames}");
    let all = meshlens(&["plan", "--all", "corpus/md3/animated.md3"]);
    assert!(stdout(&all).contains("frame 1 of mesh 0"), "{}", stdout(&all));
}

#[test]
fn json_lists_every_range() {
    let output = meshlens(&["plan", "--format", "json", "corpus/md3/animated.md3"]);
    let plan: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((&plan["uri"], &plan["format"]), (&json!("corpus/md3/animated.md3"), &json!("md3")));
    let parts = plan["parts"].as_array().unwrap();
    let bounds = parts.iter().find(|part| part["part"] == "bounds").unwrap();
    let expected = json!({
        "part": "bounds", "ranges": [{"file": 0, "start": 108, "end": 164}],
        "stored_bytes": 56, "decoded_bytes": 24, "needs": [],
    });
    assert_eq!(bounds, &expected);
    let frame = parts.iter().find(|part| part["frame"] == 2).unwrap();
    assert_eq!((&frame["part"], &frame["mesh"]), (&json!("frame"), &json!(0)));
    assert_eq!(frame["stored_bytes"], 280);
}

#[test]
fn every_model_of_the_corpus_fits_eighty_columns() {
    for folder in ["md3", "unreal", "u3d", "unigine"] {
        let output = meshlens(&["plan", &format!("corpus/{folder}")]);
        let long: Vec<&str> = stdout(&output)
            .lines()
            .filter(|line| line.starts_with("  ") && line.chars().count() > 80)
            .collect();
        assert!(long.is_empty(), "{long:#?}");
        assert!(stdout(&output).lines().count() > 20, "{}", stdout(&output));
    }
}

#[test]
fn a_broken_model_and_a_missing_one() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("broken.md3");
    std::fs::write(&path, b"IDP3").unwrap();
    let path = path.to_str().unwrap();
    let output = meshlens(&["plan", path, "corpus/md3/static.md3"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains("broken.md3: "), "{}", stderr(&output));
    assert!(stdout(&output).starts_with("corpus/md3/static.md3\n"), "the rest goes on");
    let output = meshlens(&["plan", "no/such/file.md3"]);
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn other_commands_take_no_urls() {
    let output = meshlens(&["validate", "http://127.0.0.1:9/x.md3"]);
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(stderr(&output), "meshlens: http://127.0.0.1:9/x.md3: only inspect and plan take URLs\n");
}

#[cfg(not(feature = "remote"))]
#[test]
fn a_url_names_the_feature_that_it_needs() {
    for verb in ["inspect", "plan"] {
        let output = meshlens(&[verb, "s3://bucket/x.md3"]);
        assert_eq!(output.status.code(), Some(2));
        let text =
            "s3://bucket/x.md3: this build of meshlens reads no URLs; build it with the feature `remote`";
        assert!(stderr(&output).contains(text), "{}", stderr(&output));
    }
}

/// A web server that gives ranges, in front of the corpus: its address, and the number of bytes that it has sent.
#[cfg(feature = "remote")]
fn server() -> (String, std::sync::Arc<std::sync::atomic::AtomicU64>) {
    use std::io::{BufRead, BufReader, Write};
    use std::sync::atomic::Ordering;

    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let sent = std::sync::Arc::<std::sync::atomic::AtomicU64>::default();
    let counter = sent.clone();
    std::thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let lines = BufReader::new(stream.try_clone().unwrap()).lines();
            let lines: Vec<String> =
                lines.map_while(Result::ok).take_while(|line| !line.is_empty()).collect();
            let path = lines[0].split(' ').nth(1).unwrap().trim_start_matches('/');
            let Ok(file) = std::fs::read(real::workspace_root().join("corpus").join(path)) else {
                let _ = stream
                    .write_all(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
                continue;
            };
            let range = lines
                .iter()
                .find_map(|line| line.to_ascii_lowercase().strip_prefix("range: bytes=").map(str::to_owned));
            let (start, last) = range.as_deref().and_then(|range| range.split_once('-')).expect("a range");
            let (start, end) = (start.parse().unwrap(), (last.parse::<usize>().unwrap() + 1).min(file.len()));
            let body = &file[start..end];
            counter.fetch_add(body.len() as u64, Ordering::Relaxed);
            let head = format!(
                "HTTP/1.1 206 Partial Content\r\nContent-Length: {}\r\nContent-Range: bytes {start}-{}/{}\r\n\
                 ETag: \"1\"\r\nConnection: close\r\n\r\n",
                body.len(),
                end - 1,
                file.len()
            );
            let _ = stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(body));
        }
    });
    (url, sent)
}

#[cfg(feature = "remote")]
#[test]
fn urls_are_inspected_and_planned_from_their_headers() {
    use std::sync::atomic::Ordering;

    let (url, sent) = server();
    for name in ["md3/animated.md3", "unigine/skinned_ms11.mesh", "u3d/v2_newer.u3d"] {
        let row = |path: &str| -> Value {
            let output = meshlens(&["inspect", "--format", "json", path]);
            assert_eq!((output.status.code(), stderr(&output)), (Some(0), ""));
            let document: Value = serde_json::from_slice(&output.stdout).unwrap();
            document["files"][0].clone()
        };
        let (remote, local) = (row(&format!("{url}/{name}")), row(&format!("corpus/{name}")));
        for member in ["format", "version", "frames", "surfaces", "vertices", "triangles", "tags", "bytes"] {
            assert_eq!(remote[member], local[member], "{member} of {name}");
        }
        assert_eq!((&remote["errors"], &remote["error"]), (&Value::Null, &Value::Null));
        let before = sent.load(Ordering::Relaxed);
        let plan = |path: &str| -> Value {
            let output = meshlens(&["plan", "--format", "json", path]);
            serde_json::from_slice(&output.stdout)
                .unwrap_or_else(|error| panic!("{error}: {}", stderr(&output)))
        };
        let (remote, local) = (plan(&format!("{url}/{name}")), plan(&format!("corpus/{name}")));
        assert_eq!(remote["parts"], local["parts"]);
        let sent = sent.load(Ordering::Relaxed) - before;
        assert_eq!(remote["bytes_read"], sent);
        assert!(sent <= local["files"][0]["bytes"].as_u64().unwrap());
    }
    let output = meshlens(&["inspect", &format!("{url}/no.md3"), "corpus/md3/static.md3"]);
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(stderr(&output), format!("meshlens: {url}/no.md3: not found\n"));
    assert!(stdout(&output).contains("static.md3"), "the rest goes on");
}

#[cfg(feature = "remote")]
#[test]
fn redirects_to_other_hosts_are_asked_for() {
    use std::io::{BufRead, BufReader, Write};

    let (files, sent) = server();
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/a.md3", listener.local_addr().unwrap());
    let target = format!("{files}/md3/static.md3");
    let location = target.clone();
    std::thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let lines = BufReader::new(stream.try_clone().unwrap()).lines();
            let _ = lines.map_while(Result::ok).take_while(|line| !line.is_empty()).count();
            let head = format!("HTTP/1.1 302 Found\r\nLocation: {location}\r\nContent-Length: 0\r\n");
            let _ = write!(stream, "{head}Connection: close\r\n\r\n");
        }
    });
    for verb in ["inspect", "plan"] {
        let output = meshlens(&[verb, &url]);
        assert_eq!(output.status.code(), Some(2));
        let text = format!("{url}: redirects to {target}, another host; --allow-redirects permits it\n");
        assert_eq!(stderr(&output), format!("meshlens: {text}"));
        assert_eq!(sent.load(std::sync::atomic::Ordering::Relaxed), 0);
    }
    let output = meshlens(&["inspect", "--allow-redirects", &url]);
    assert_eq!((output.status.code(), stderr(&output)), (Some(0), ""));
}

/// The server answers no request before both have arrived.
#[cfg(feature = "remote")]
#[test]
fn urls_are_read_at_the_same_time() {
    use std::io::{BufRead, BufReader, Write};

    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let server = std::thread::spawn(move || {
        let streams: Vec<_> = listener.incoming().flatten().take(2).collect();
        for mut stream in streams {
            let lines = BufReader::new(stream.try_clone().unwrap()).lines();
            let _ = lines.map_while(Result::ok).take_while(|line| !line.is_empty()).count();
            let head = "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
            stream.write_all(head.as_bytes()).unwrap();
        }
    });
    let output = meshlens(&["inspect", &format!("{url}/a.md3"), &format!("{url}/b.md3")]);
    server.join().unwrap();
    // Messages are in the order of the URLs.
    let told = format!("meshlens: {url}/a.md3: not found\nmeshlens: {url}/b.md3: not found\n");
    assert_eq!((output.status.code(), stderr(&output)), (Some(2), &*told));
}

#[cfg(feature = "remote")]
#[test]
fn an_endpoint_without_encryption_names_its_setting() {
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_meshlens"));
    command.args(["inspect", "s3://bucket/x.md3"]);
    let output =
        command.env("AWS_ENDPOINT", "http://127.0.0.1:9").env_remove("AWS_ALLOW_HTTP").output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("; the setting AWS_ALLOW_HTTP=true permits"), "{}", stderr(&output));
}
