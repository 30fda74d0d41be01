//! Units of systemd, by the signals of its bus.

use std::hash::Hash;
use std::io;
use std::num::NonZeroUsize;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;

use rustc_hash::{FxHashMap, FxHashSet};
use zbus::connection::Builder;
use zbus::export::ordered_stream::OrderedStreamExt;
use zbus::message::Type;
use zbus::{Connection, MatchRule, MessageStream, OwnedObjectPath, block_on};

use super::wake::Wake;

const SYSTEMD: &str = "org.freedesktop.systemd1";
const MANAGER_PATH: &str = "/org/freedesktop/systemd1";
const MANAGER: &str = "org.freedesktop.systemd1.Manager";

/// The maximal number of queued signals. An overflow ends the stream, which is reported as
/// [`Event::Any`].
const MAX_QUEUED: NonZeroUsize = NonZeroUsize::new(4096).expect("is not zero");

/// The wait before the bus is tried again.
const RECONNECT_DELAY: Duration = Duration::from_secs(1);

/// No answer for this long is an error.
const TIMEOUT: Duration = Duration::from_secs(10);

/// An event of the bus.
enum Event {
    /// An event of the unit with this object.
    Unit(String),
    /// Any unit may have changed.
    Any,
}

/// The units that are watched.
pub(super) struct Units<K> {
    wake: Wake,
    events: Option<Receiver<Event>>,
    bus: Option<Connection>,
    /// By the path of the unit's object.
    by_object: FxHashMap<String, FxHashSet<K>>,
    by_key: FxHashMap<K, Vec<String>>,
}

impl<K: Copy + Eq + Hash> Units<K> {
    pub(super) fn new(wake: Wake) -> Self {
        Self {
            wake,
            events: None,
            bus: None,
            by_object: FxHashMap::default(),
            by_key: FxHashMap::default(),
        }
    }

    /// Watches a unit for a key.
    pub(super) fn add(&mut self, unit: &str, key: K) -> io::Result<()> {
        if self.events.is_none() {
            self.events = Some(listen(self.wake.clone())?);
        }
        let object = self.object(unit).map_err(|e| io::Error::other(format!("{unit}: {e}")))?;
        self.by_object.entry(object.clone()).or_default().insert(key);
        self.by_key.entry(key).or_default().push(object);
        Ok(())
    }

    pub(super) fn remove(&mut self, key: K) {
        for object in self.by_key.remove(&key).unwrap_or_default() {
            let Some(keys) = self.by_object.get_mut(&object) else { continue };
            keys.remove(&key);
            if keys.is_empty() {
                self.by_object.remove(&object);
            }
        }
    }

    pub(super) fn take_events(&mut self, touched: &mut FxHashSet<K>) {
        for event in self.events.iter().flat_map(Receiver::try_iter) {
            match event {
                Event::Unit(object) => {
                    touched.extend(self.by_object.get(&object).into_iter().flatten())
                }
                Event::Any => touched.extend(self.by_key.keys()),
            }
        }
    }

    /// The path of a unit's object, the same for all names of the unit.
    fn object(&mut self, unit: &str) -> zbus::Result<String> {
        if self.bus.is_none() {
            self.bus = Some(block_on(Builder::system().method_timeout(TIMEOUT).build())?);
        }
        let Some(bus) = &self.bus else { return Err(zbus::Error::InvalidReply) };
        let call = bus.call_method(Some(SYSTEMD), MANAGER_PATH, Some(MANAGER), "LoadUnit", &unit);
        let reply = block_on(call).and_then(|reply| {
            let path: OwnedObjectPath = reply.body().deserialize()?;
            Ok(path.as_str().to_string())
        });
        if reply.is_err() {
            self.bus = None;
        }
        reply
    }
}

/// Listens on a separate thread until there are no receivers.
fn listen(wake: Wake) -> io::Result<Receiver<Event>> {
    let (sender, receiver) = channel();
    let work = move || {
        // Changes during a loss of the bus are unknown.
        while sender.send(Event::Any).is_ok() {
            let _ = block_on(follow(&sender, &wake));
            std::thread::sleep(RECONNECT_DELAY);
        }
    };
    std::thread::Builder::new().name("units".into()).spawn(work)?;
    Ok(receiver)
}

/// Passes signals on until the bus goes away or there are no receivers.
async fn follow(sender: &Sender<Event>, wake: &Wake) -> zbus::Result<()> {
    let bus = Builder::system().method_timeout(TIMEOUT).build().await?;
    let rule = MatchRule::builder()
        .msg_type(Type::Signal)
        .sender(SYSTEMD)
        .path_namespace(MANAGER_PATH)
        .build()?;
    let mut stream = MessageStream::for_match_rule(rule, &bus, Some(MAX_QUEUED)).await?;
    // Without it the manager sends no signals.
    bus.call_method(Some(SYSTEMD), MANAGER_PATH, Some(MANAGER), "Subscribe", &()).await?;
    let mut known = sender.send(Event::Any);
    wake();
    while known.is_ok() {
        let Some(message) = stream.next().await else { break };
        let message = message?;
        let header = message.header();
        let (path, member) = (header.path(), header.member());
        let event = match (path, member.map(|m| m.as_str())) {
            (Some(path), Some("PropertiesChanged")) if path.as_str() != MANAGER_PATH => {
                Event::Unit(path.as_str().to_string())
            }
            (_, Some("UnitFilesChanged" | "Reloading")) => Event::Any,
            _ => continue,
        };
        known = sender.send(event);
        wake();
    }
    Ok(())
}
