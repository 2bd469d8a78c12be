//! A server with the S3 protocol. `MESHLENS_S3` has its address, such as `http://127.0.0.1:5000`; `.ci/stream` starts
//! one. Without it, the tests print that they are skipped.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::sync::Arc;

use meshlens_stream::backend::{Backend, ObjectStoreBackend, ObjectStoreOptions};
use meshlens_stream::{Part, Plan, Priority, StreamedModel, Streamer, StreamerOptions};
use object_store::aws::AmazonS3Builder;
use object_store::{ObjectStore, ObjectStoreExt};

use crate::common::{models, slices, wait};
use crate::tls::install_crypto_provider;

const BUCKET: &str = "meshlens";

/// The bucket, which is created if it does not exist.
fn bucket() -> Option<Arc<dyn ObjectStore>> {
    let Ok(endpoint) = std::env::var("MESHLENS_S3") else {
        println!("skipped: MESHLENS_S3 has no address of a server");
        return None;
    };
    let host = endpoint.trim_start_matches("http://");
    let mut stream = TcpStream::connect(host).expect("the server of MESHLENS_S3");
    // The crate cannot create buckets. The server does not check signatures.
    let headers = format!("Host: {host}\r\nContent-Length: 0\r\nConnection: close\r\n");
    write!(stream, "PUT /{BUCKET} HTTP/1.1\r\n{headers}\r\n").unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    assert!(answer.contains(" 200 ") || answer.contains(" 409 "), "{answer}");
    install_crypto_provider();
    let builder =
        AmazonS3Builder::new().with_endpoint(endpoint).with_allow_http(true).with_region("us-east-1");
    let builder = builder.with_bucket_name(BUCKET).with_access_key_id("test").with_secret_access_key("test");
    Some(Arc::new(builder.build().unwrap()))
}

fn put(store: &Arc<dyn ObjectStore>, key: &str, bytes: &[u8]) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(store.put(&key.into(), bytes.to_vec().into())).unwrap();
}

#[test]
fn every_format_part_by_part() {
    let Some(store) = bucket() else { return };
    let streamer = Streamer::new(StreamerOptions::default()).unwrap();
    let mut expected: Vec<(StreamedModel, Vec<Vec<u8>>)> = Vec::new();
    let backend = Arc::new(ObjectStoreBackend::new(store.clone(), ObjectStoreOptions::default()).unwrap());
    for (number, (_, files)) in models().into_iter().enumerate().filter(|(number, _)| number % 2 == 0) {
        if Plan::of(&slices(&files)).is_err() {
            continue;
        }
        let keys: Vec<String> = (0..files.len()).map(|part| format!("models/{number} {part}")).collect();
        keys.iter().zip(&files).for_each(|(key, bytes)| put(&store, key, bytes));
        expected.push((streamer.open(backend.clone(), keys), files));
    }
    assert!(expected.len() >= 20, "{}", expected.len());
    for (streamed, files) in expected {
        let plan = Plan::of(&slices(&files)).unwrap();
        let handles: Vec<_> =
            plan.parts().map(|part| streamer.request(&streamed, part, Priority::NORMAL)).collect();
        for handle in handles {
            let part = handle.part();
            let loaded = wait(handle).unwrap_or_else(|failed| panic!("{part} of {streamed:?}: {failed}"));
            let Some(model) = loaded.into_model() else { continue };
            assert_eq!(model.plan(), &plan);
            for range in plan.part(part).unwrap().ranges() {
                let wanted = &files[range.file][range.start as usize..range.end as usize];
                assert_eq!(model.files()[range.file].get(range.range()).as_deref(), Some(wanted), "{part}");
            }
        }
    }
}

#[test]
fn an_object_that_is_replaced_or_missing() {
    let Some(store) = bucket() else { return };
    // Longer than what is read ahead.
    let mut bytes = crate::common::file("md3/animated.md3");
    bytes.resize(3 << 20, 0);
    put(&store, "replaced.md3", &bytes);
    let backend = Arc::new(ObjectStoreBackend::new(store.clone(), ObjectStoreOptions::default()).unwrap());
    let streamer = Streamer::new(StreamerOptions::default()).unwrap();
    let streamed = streamer.open(backend.clone(), ["replaced.md3"]);
    wait(streamer.request(&streamed, Part::Header, Priority::NORMAL)).unwrap();
    let mut other = bytes.clone();
    *other.last_mut().unwrap() ^= 1;
    put(&store, "replaced.md3", &other);
    let failed = wait(streamer.request(&streamed, Part::Whole, Priority::NORMAL)).unwrap_err();
    assert_eq!(failed.to_string(), "replaced.md3: changed while it was being read");
    let error = backend.read("no such key".into(), 0..4).unwrap_err();
    assert!(error.is_not_found(), "{error}");
}

#[cfg(feature = "assets")]
#[test]
fn a_bucket_is_mounted() {
    use meshlens_assets::{AssetPath, Assets, FindOptions};

    let Some(store) = bucket() else { return };
    for file in ["lower.md3", "upper.md3", "head.md3", "animation.cfg"] {
        let bytes = crate::common::file(&format!("md3/player/{file}"));
        put(&store, &format!("mounted/models/players/a b/{file}"), &bytes);
    }
    // A file that is longer than the first read.
    let mut long = crate::common::file("md3/animated.md3");
    long.resize(3 << 20, 0);
    put(&store, "mounted/long.md3", &long);
    let backend = Arc::new(ObjectStoreBackend::new(store, ObjectStoreOptions::default()).unwrap());
    let mut assets = Assets::new();
    assets.mount("s3://meshlens", backend);
    let folder = AssetPath::new("mounted").unwrap();
    let options = FindOptions { players: true, ..FindOptions::default() };
    let found = assets.find_models(&folder, &options);
    let names: Vec<&str> = found.models.iter().map(|model| model.path().as_str()).collect();
    assert_eq!(names, ["mounted/long.md3", "mounted/models/players/a b"]);
    assert!(found.faults.is_empty(), "{:?}", found.faults);
    let player = assets.open("mounted/models/players/a b").unwrap();
    assert_eq!(player.scene().nodes.len(), 3);
    assert!(assets.read_named(&folder, "long.md3").unwrap().unwrap() == long);
    assert!(assets.locate("mounted/missing.md3").unwrap_err().is_not_found());
}
