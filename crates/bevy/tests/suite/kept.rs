//! The errors that were logged.

use std::fmt::{Debug, Write};
use std::sync::{Mutex, Once};

use bevy::log::Level;
use bevy::log::tracing::field::{Field, Visit};
use bevy::log::tracing::{Event, Subscriber, subscriber};
use bevy::log::tracing_subscriber::layer::{Context, Layer, SubscriberExt};
use bevy::log::tracing_subscriber::registry;

static ERRORS: Mutex<Vec<String>> = Mutex::new(Vec::new());

/// Keeps the errors of all threads.
struct Kept;

struct Message(String);

impl Visit for Message {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        if field.name() == "message" {
            write!(self.0, "{value:?}").expect("a string");
        }
    }
}

impl<S: Subscriber> Layer<S> for Kept {
    fn on_event(&self, event: &Event<'_>, _: Context<'_, S>) {
        if *event.metadata().level() == Level::ERROR {
            let mut message = Message(String::new());
            event.record(&mut message);
            ERRORS.lock().unwrap().push(message.0);
        }
    }
}

/// Keeps the log from now on.
pub(crate) fn keep() {
    static STARTED: Once = Once::new();
    STARTED.call_once(|| {
        subscriber::set_global_default(registry().with(Kept)).expect("no other test keeps the log");
    });
}

/// The errors that contain the text `with`.
pub(crate) fn errors(with: &str) -> Vec<String> {
    ERRORS.lock().unwrap().iter().filter(|error| error.contains(with)).cloned().collect()
}
