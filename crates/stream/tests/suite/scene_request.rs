//! When the request for a scene ends, and the thread that makes the scene.

use std::ops::Range;
use std::pin::Pin;
use std::sync::{Arc, Mutex, mpsc};
use std::task::{Context, Poll, Wake};

use meshlens_assets::{AssetPath, Assets, Bytes, Entry, FilePart, FileSystem, OpenOptions};
use meshlens_stream::{Error, LoadedScene, Priority, Result, SceneRequest, State};
use meshlens_testkit::files::Files;

use crate::common::PATIENCE;
use crate::scene::{player, streamer};

/// Calls a function before a text is read: the thread that makes a scene reads the clips.
struct BeforeText<F>(Files, F);

impl<F: Fn() + Send + Sync> FileSystem for BeforeText<F> {
    fn read(&self, path: &AssetPath, limit: u64) -> std::io::Result<Bytes> {
        if path.as_str().ends_with(".cfg") {
            self.1();
        }
        self.0.read(path, limit)
    }

    fn read_range(&self, path: &AssetPath, range: Range<u64>) -> std::io::Result<FilePart> {
        self.0.read_range(path, range)
    }

    fn list(&self, folder: &AssetPath) -> std::io::Result<Vec<Entry>> {
        self.0.list(folder)
    }
}

#[test]
fn a_panic_while_a_companion_is_read_is_the_error_of_the_scene() {
    let mut assets = Assets::new();
    assets.mount("", BeforeText(player(&[]), || panic!("the text cannot be read")));
    let (streamer, backend) = streamer(&assets);
    let streamed = streamer.open_scene(&backend, "p", &OpenOptions::default()).unwrap();
    for _ in 0..2 {
        let error = streamed.request_all(&streamer, 0, Priority::NORMAL).wait().unwrap_err();
        assert!(matches!(error, Error::Panicked { .. }), "{error}");
    }
}

type Take = fn(&mut SceneRequest, &mut Context<'_>) -> Option<Result<LoadedScene>>;

/// Takes a scene as soon as anything wakes its future, on the thread that does. Sends it and the states of its requests.
struct TakeAtOnce {
    request: Mutex<SceneRequest>,
    take: Take,
    taken: mpsc::Sender<(Result<LoadedScene>, Vec<State>)>,
}

impl Wake for TakeAtOnce {
    fn wake(self: Arc<Self>) {
        let waker = self.clone().into();
        let mut request = self.request.lock().unwrap();
        if let Some(scene) = (self.take)(&mut request, &mut Context::from_waker(&waker)) {
            let states = request.handles().iter().map(|handle| handle.state()).collect();
            let _ = self.taken.send((scene, states));
        }
    }
}

#[test]
fn a_scene_is_taken_after_its_requests_have_ended() {
    let poll: Take = |request, context| match Pin::new(request).poll(context) {
        Poll::Ready(scene) => Some(scene),
        Poll::Pending => None,
    };
    for take in [poll, |request, _| request.take()] {
        // The last request is held while it makes the scene, until something waits for its end.
        let (reached, is_reached) = mpsc::channel();
        let (release, is_released) = mpsc::channel::<()>();
        let is_released = Mutex::new(is_released);
        let hold = move || {
            let _ = (reached.send(()), is_released.lock().unwrap().recv());
        };
        let mut assets = Assets::new();
        assets.mount("", BeforeText(player(&[]), hold));
        let (streamer, backend) = streamer(&assets);
        let streamed = streamer.open_scene(&backend, "p", &OpenOptions::default()).unwrap();
        let request = Mutex::new(streamed.request_all(&streamer, 0, Priority::NORMAL));
        is_reached.recv_timeout(PATIENCE).unwrap();
        let (sender, taken) = mpsc::channel();
        let waiting = Arc::new(TakeAtOnce { request, take, taken: sender });
        let waker = waiting.clone().into();
        assert!(poll(&mut waiting.request.lock().unwrap(), &mut Context::from_waker(&waker)).is_none());
        drop(release);
        let (scene, states) = taken.recv_timeout(PATIENCE).unwrap();
        assert_eq!(scene.unwrap().scene().nodes.len(), 3);
        assert_eq!(states, [State::Ready; 3]);
    }
}
