//! What all servers of this process serve.

use std::collections::BTreeMap;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use super::Serves;
use crate::kinds::cached::Stamp;
use crate::watch::Bell;

/// Servers and what they serve, by the names of the resources. Who is declared has a `Claim`; what
/// nobody claims any more is gone.
#[derive(Default)]
pub struct Hub {
    state: Mutex<State>,
    /// Whenever something that is served changes.
    changed: Condvar,
}

#[derive(Default)]
struct State {
    claims: BTreeMap<Name, usize>,
    servers: BTreeMap<Name, Box<dyn Serves>>,
    routes: BTreeMap<Name, Route>,
}

/// What resource it is.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(in crate::kinds) struct Name {
    /// Its kind.
    pub(in crate::kinds) kind: &'static str,
    /// Its title.
    pub(in crate::kinds) title: String,
}

/// Something that is served.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(in crate::kinds) struct Spec {
    /// The server; any if it is empty.
    pub(in crate::kinds) server: String,
    /// The path of the address; with a slash at its end, all that is below.
    pub(in crate::kinds) path: String,
    /// What is there.
    pub(in crate::kinds) what: What,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub(in crate::kinds) enum What {
    /// These bytes.
    Data(Arc<[u8]>),
    /// A file of the machine.
    File(std::path::PathBuf),
    /// A file; whoever has it can wait until it is another one.
    Followed(Source, Stamp),
    /// The files below a directory.
    Tree(std::path::PathBuf),
    /// Takes the value of this field of a form.
    Flag(String),
    /// What another server has.
    Proxy(Upstream),
}

/// Where a proxy has things from.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(in crate::kinds) struct Upstream {
    /// What is taken off the beginning of a path.
    pub(in crate::kinds) sub: String,
    /// What is put in front of the rest; nothing is fetched if it is empty.
    pub(in crate::kinds) head: String,
    /// Where is kept what was fetched.
    pub(in crate::kinds) cache: Option<std::path::PathBuf>,
}

/// What one can wait for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(in crate::kinds) enum Source {
    Data(Arc<[u8]>),
    File(std::path::PathBuf),
}

/// Something that is served, with what came of it.
#[derive(Clone)]
pub(in crate::kinds) struct Route {
    pub(in crate::kinds) spec: Arc<Spec>,
    /// Since when it is what it is, in seconds; never the same for two contents.
    pub(in crate::kinds) since: u64,
    /// What was sent to it last.
    pub(in crate::kinds) value: Option<String>,
    /// What of that was told to others.
    pub(in crate::kinds) told: Option<String>,
    bell: Bell,
}

/// Holds a name of a hub.
pub(in crate::kinds) struct Claim {
    hub: Arc<Hub>,
    name: Name,
}

impl Claim {
    pub(in crate::kinds) fn new(hub: &Arc<Hub>, kind: &'static str, title: &str) -> Self {
        let name = Name { kind, title: title.to_string() };
        *hub.lock().claims.entry(name.clone()).or_default() += 1;
        Self { hub: Arc::clone(hub), name }
    }

    pub(in crate::kinds) fn hub(&self) -> &Arc<Hub> {
        &self.hub
    }

    pub(in crate::kinds) fn name(&self) -> &Name {
        &self.name
    }
}

impl Drop for Claim {
    fn drop(&mut self) {
        let mut state = self.hub.lock();
        let left = state.claims.get_mut(&self.name).map(|count| {
            *count -= 1;
            *count
        });
        if left != Some(0) {
            return;
        }
        state.claims.remove(&self.name);
        state.routes.remove(&self.name);
        let stopped = state.servers.remove(&self.name);
        drop(state);
        // A listener waits for its thread, which may want to look here.
        drop(stopped);
        self.hub.changed.notify_all();
    }
}

impl Hub {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What is served for a resource.
    pub(in crate::kinds) fn route(&self, name: &Name) -> Option<Route> {
        self.lock().routes.get(name).cloned()
    }

    /// The bell of a resource, which rings when something is sent to it.
    pub(in crate::kinds) fn bell(&self, name: &Name) -> Option<Bell> {
        self.lock().routes.get(name).map(|route| route.bell.clone())
    }

    /// Serves something for a resource from now on.
    pub(in crate::kinds) fn serve(&self, name: &Name, spec: Arc<Spec>) {
        let mut state = self.lock();
        let old = state.routes.remove(name);
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
        let since = old.as_ref().map_or(now, |old| now.max(old.since + 1));
        let (value, told, bell) = match old {
            Some(old) => (old.value, old.told, old.bell),
            None => (None, None, Bell::default()),
        };
        state.routes.insert(name.clone(), Route { spec, since, value, told, bell });
        drop(state);
        self.changed.notify_all();
    }

    /// What was sent to a resource is told to others now.
    pub(in crate::kinds) fn tell(&self, name: &Name) {
        if let Some(route) = self.lock().routes.get_mut(name) {
            route.told = route.value.clone();
        }
    }

    /// Keeps what was sent to a path, for each field that someone wants.
    pub(in crate::kinds) fn take(
        &self,
        server: &str,
        path: &str,
        fields: &[(String, String)],
    ) -> bool {
        let mut rung = Vec::new();
        for route in self.lock().routes.values_mut() {
            let What::Flag(key) = &route.spec.what else { continue };
            if !route.is_of(server) || route.spec.path != path {
                continue;
            }
            let field = fields.iter().find(|(name, _)| name == key).map(|(_, value)| value);
            if !key.is_empty() {
                route.value = field.filter(|value| !value.is_empty()).cloned();
            }
            rung.push(route.bell.clone());
        }
        rung.iter().for_each(Bell::ring);
        !rung.is_empty()
    }

    /// What a server has at a path: what is named itself, else the nearest above.
    pub(in crate::kinds) fn find(&self, server: &str, path: &str) -> Option<Route> {
        let state = self.lock();
        let served = state.routes.values().filter(|route| {
            route.is_of(server) && !matches!(route.spec.what, What::Flag(_)) && route.covers(path)
        });
        served.max_by_key(|route| (route.spec.path == path, route.spec.path.len())).cloned()
    }

    /// Waits until something is served otherwise than it was since then; whether it still is served.
    pub(in crate::kinds) fn wait(&self, name: &Route, patience: Duration) -> bool {
        let state = self.lock();
        let find = |state: &State| {
            state.routes.values().find(|r| r.bell == name.bell).map(|route| route.since)
        };
        let waited = self
            .changed
            .wait_timeout_while(state, patience, |state| find(state) == Some(name.since));
        let (state, _) = waited.unwrap_or_else(PoisonError::into_inner);
        find(&state).is_some()
    }

    /// Wakes all who wait.
    pub(in crate::kinds) fn wake(&self) {
        self.changed.notify_all();
    }

    /// Something about the server of a resource.
    pub(in crate::kinds) fn server<T>(
        &self,
        name: &Name,
        ask: impl FnOnce(&dyn Serves) -> T,
    ) -> Option<T> {
        self.lock().servers.get(name).map(|server| ask(&**server))
    }

    /// Puts a server, or none, in the place of the one that a resource has.
    pub(in crate::kinds) fn put(&self, name: &Name, server: Option<Box<dyn Serves>>) {
        let mut state = self.lock();
        let old = match server {
            Some(server) => state.servers.insert(name.clone(), server),
            None => state.servers.remove(name),
        };
        drop(state);
        drop(old);
    }
}

impl Route {
    fn is_of(&self, server: &str) -> bool {
        self.spec.server.is_empty() || self.spec.server == server
    }

    fn covers(&self, path: &str) -> bool {
        let own = &self.spec.path;
        let is_below = || own.ends_with('/') && path.starts_with(own.as_str());
        own == path || matches!(self.spec.what, What::Tree(_) | What::Proxy(_)) && is_below()
    }
}
