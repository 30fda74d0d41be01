//! Routes and running servers of this process.

use std::collections::BTreeMap;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use ordain_data::Value;

use super::settings::{RunningServer, Settings, only_in_watch};
use crate::kind::differences::Differences;
use crate::kind::{Change, LogLine};
use crate::system::file_cache::Stamp;
use crate::system::host::Host;
use crate::system::watch::Notifier;

/// The types of a family of protocols: settings of servers, and served content.
pub(in crate::kinds) trait Parts: 'static {
    /// The settings of a server.
    type Settings: Clone + PartialEq + Send + Sync;
    /// The served content.
    type Content: Clone + PartialEq + Send + Sync;
}

/// Protocols that serve files.
pub(in crate::kinds) struct Files;

impl Parts for Files {
    type Settings = Settings;
    type Content = Content;
}

/// Servers and their content, by the names of the resources. Declared resources have a `Claim`;
/// unclaimed ones are removed.
pub(in crate::kinds) struct Hub<P: Parts = Files> {
    state: Mutex<State<P>>,
    /// Signals every change of served content.
    changed: Condvar,
}

struct State<P: Parts> {
    claims: BTreeMap<Name, usize>,
    servers: BTreeMap<Name, Box<dyn RunningServer<P::Settings>>>,
    routes: BTreeMap<Name, Route<P>>,
}

impl<P: Parts> Default for Hub<P> {
    fn default() -> Self {
        let (claims, servers, routes) = Default::default();
        Self { state: Mutex::new(State { claims, servers, routes }), changed: Condvar::default() }
    }
}

/// The name of a resource.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(in crate::kinds) struct Name {
    /// Its kind.
    pub(in crate::kinds) kind: &'static str,
    /// Its title.
    pub(in crate::kinds) title: String,
}

/// Something that is served.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(in crate::kinds) struct Spec<W = Content> {
    /// The server; any if it is empty.
    pub(in crate::kinds) server: String,
    /// The path of the address; if it ends in a slash, everything below it.
    pub(in crate::kinds) path: String,
    /// The content.
    pub(in crate::kinds) what: W,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub(in crate::kinds) enum Content {
    /// These bytes.
    Data(Arc<[u8]>),
    /// A file of the machine.
    File(std::path::PathBuf),
    /// A file. Clients can wait for its next version.
    Followed(Source, Stamp),
    /// The files below a directory.
    Tree(std::path::PathBuf),
    /// Takes the value of this field of a form.
    Flag(String),
    /// Content of another server.
    Proxy(Upstream),
    /// A page of fields, for everything below its path.
    Page(Page),
    /// A field of a page: the server is the name of the page, the path is relative to it.
    Field(Field),
}

/// A page of fields.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(in crate::kinds) struct Page {
    /// The name by which fields know it.
    pub(in crate::kinds) name: String,
    pub(in crate::kinds) title: String,
    /// HTML for its head.
    pub(in crate::kinds) head: String,
}

/// A field of a page.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(in crate::kinds) struct Field {
    /// Its appearance, as attributes for the page.
    pub(in crate::kinds) look: Vec<(String, String)>,
    /// The sort key.
    pub(in crate::kinds) sort: String,
    /// Its value until another is set.
    pub(in crate::kinds) value: String,
}

/// The source of a proxy.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(in crate::kinds) struct Upstream {
    /// The prefix that is removed from a path.
    pub(in crate::kinds) sub: String,
    /// The prefix of fetched addresses; nothing is fetched if it is empty.
    pub(in crate::kinds) head: String,
    /// The directory of the cache.
    pub(in crate::kinds) cache: Option<std::path::PathBuf>,
}

/// Content whose changes clients can wait for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(in crate::kinds) enum Source {
    Data(Arc<[u8]>),
    File(std::path::PathBuf),
}

/// A route with its last values.
pub(in crate::kinds) struct Route<P: Parts = Files> {
    pub(in crate::kinds) spec: Arc<Spec<P::Content>>,
    /// The time of the last change in seconds. Different contents have different times.
    pub(in crate::kinds) since: u64,
    /// The value that was sent last.
    pub(in crate::kinds) value: Option<String>,
    /// The value that was passed on to other resources.
    pub(in crate::kinds) told: Option<String>,
    notifier: Notifier,
}

impl<P: Parts> Clone for Route<P> {
    fn clone(&self) -> Self {
        Self {
            spec: Arc::clone(&self.spec),
            since: self.since,
            value: self.value.clone(),
            told: self.told.clone(),
            notifier: self.notifier.clone(),
        }
    }
}

/// Holds a name of a hub for a resource.
pub(in crate::kinds) struct Claim<P: Parts = Files> {
    hub: Arc<Hub<P>>,
    name: Name,
    log: Mutex<Vec<LogLine>>,
}

impl<P: Parts> Claim<P> {
    pub(in crate::kinds) fn new(hub: &Arc<Hub<P>>, kind: &'static str, title: &str) -> Self {
        let name = Name { kind, title: title.to_string() };
        *hub.lock().claims.entry(name.clone()).or_default() += 1;
        Self { hub: Arc::clone(hub), name, log: Mutex::default() }
    }

    pub(in crate::kinds) fn hub(&self) -> &Arc<Hub<P>> {
        &self.hub
    }

    pub(in crate::kinds) fn name(&self) -> &Name {
        &self.name
    }

    /// Whether this run keeps serving. If not, the log names the missing part.
    pub(in crate::kinds) fn stays(&self, host: &Host, what: &str) -> bool {
        if !host.stays {
            *self.log.lock().unwrap_or_else(PoisonError::into_inner) = vec![only_in_watch(what)];
        }
        host.stays
    }

    pub(in crate::kinds) fn take_log(&self) -> Vec<LogLine> {
        std::mem::take(&mut *self.log.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Compares the route with the desired one.
    pub(in crate::kinds) fn compare(
        &self,
        wanted: &Spec<P::Content>,
        property: &str,
    ) -> Vec<Change> {
        let mut differences = Differences::new(&[]);
        match self.hub.route(&self.name) {
            None => differences.create("absent", Value::str("served")),
            Some(now) if *now.spec != *wanted => {
                differences.property(property, Value::str("old"), Value::str("new"));
            }
            Some(_) => {}
        }
        differences.finish()
    }

    /// Serves this for it from now on.
    pub(in crate::kinds) fn serve(&self, spec: Spec<P::Content>) {
        self.hub.serve(&self.name, Arc::new(spec));
    }
}

impl<P: Parts> Drop for Claim<P> {
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
        // A listener joins its thread, which may need this lock.
        drop(stopped);
        self.hub.changed.notify_all();
    }
}

impl<P: Parts> Hub<P> {
    fn lock(&self) -> MutexGuard<'_, State<P>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The route of a resource.
    pub(in crate::kinds) fn route(&self, name: &Name) -> Option<Route<P>> {
        self.lock().routes.get(name).cloned()
    }

    /// The notifier of a resource, for values that are sent to it.
    pub(in crate::kinds) fn notifier(&self, name: &Name) -> Option<Notifier> {
        self.lock().routes.get(name).map(|route| route.notifier.clone())
    }

    /// Starts to serve content for a resource.
    pub(in crate::kinds) fn serve(&self, name: &Name, spec: Arc<Spec<P::Content>>) {
        let mut state = self.lock();
        let old = state.routes.remove(name);
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
        let since = old.as_ref().map_or(now, |old| now.max(old.since + 1));
        let (value, told, notifier) = match old {
            Some(old) => (old.value, old.told, old.notifier),
            None => (None, None, Notifier::default()),
        };
        state.routes.insert(name.clone(), Route { spec, since, value, told, notifier });
        drop(state);
        self.changed.notify_all();
    }

    /// Marks the last value as passed on.
    pub(in crate::kinds) fn notify(&self, name: &Name) {
        if let Some(route) = self.lock().routes.get_mut(name) {
            route.told = route.value.clone();
        }
    }

    /// The routes of a server, in the order of their names.
    pub(in crate::kinds) fn served(&self, server: &str) -> Vec<Arc<Spec<P::Content>>> {
        let state = self.lock();
        let routes = state.routes.values().filter(|route| route.is_of(server));
        routes.map(|route| Arc::clone(&route.spec)).collect()
    }

    /// Wakes all waiting clients.
    pub(in crate::kinds) fn wake(&self) {
        self.changed.notify_all();
    }

    /// Applies a function to the server of a resource.
    pub(in crate::kinds) fn server<T>(
        &self,
        name: &Name,
        ask: impl FnOnce(&dyn RunningServer<P::Settings>) -> T,
    ) -> Option<T> {
        self.lock().servers.get(name).map(|server| ask(&**server))
    }

    /// Replaces or removes the server of a resource.
    pub(in crate::kinds) fn put(
        &self,
        name: &Name,
        server: Option<Box<dyn RunningServer<P::Settings>>>,
    ) {
        let mut state = self.lock();
        let old = match server {
            Some(server) => state.servers.insert(name.clone(), server),
            None => state.servers.remove(name),
        };
        drop(state);
        drop(old);
    }
}

impl Hub {
    /// Stores the values that were sent to a path, for each declared field.
    pub(in crate::kinds) fn take(
        &self,
        server: &str,
        path: &str,
        fields: &[(String, String)],
    ) -> bool {
        let mut notified = Vec::new();
        for route in self.lock().routes.values_mut() {
            let Content::Flag(key) = &route.spec.what else { continue };
            if !route.is_of(server) || route.spec.path != path {
                continue;
            }
            let field = fields.iter().find(|(name, _)| name == key).map(|(_, value)| value);
            if !key.is_empty() {
                route.value = field.filter(|value| !value.is_empty()).cloned();
            }
            notified.push(route.notifier.clone());
        }
        notified.iter().for_each(Notifier::notify);
        !notified.is_empty()
    }

    /// The fields of a page, in the order of their names.
    pub(in crate::kinds) fn fields(&self, page: &str) -> Vec<Route> {
        let state = self.lock();
        state.routes.values().filter(|route| route.is_field_of(page)).cloned().collect()
    }

    /// A field of a page.
    pub(in crate::kinds) fn field(&self, page: &str, id: &str) -> Option<Route> {
        let state = self.lock();
        let is_it = |route: &&Route| route.is_field_of(page) && route.spec.path == id;
        state.routes.values().find(is_it).cloned()
    }

    /// Sets the value of a field of a page; returns whether it exists.
    pub(in crate::kinds) fn submit(&self, page: &str, id: &str, value: &str) -> bool {
        let mut state = self.lock();
        let is_it = |route: &&mut Route| route.is_field_of(page) && route.spec.path == id;
        let Some(route) = state.routes.values_mut().find(is_it) else { return false };
        if route.value.as_deref() != Some(value) {
            route.value = Some(value.to_string());
            route.since += 1;
        }
        let notifier = route.notifier.clone();
        drop(state);
        self.changed.notify_all();
        notifier.notify();
        true
    }

    /// Publishes the current value. A later value is not lost.
    pub(in crate::kinds) fn settle(&self, name: &Name, seen: Option<&str>, value: &str) {
        if let Some(route) = self.lock().routes.get_mut(name) {
            if route.value.as_deref() == seen && seen != Some(value) {
                route.value = Some(value.to_string());
                route.since += 1;
            }
            route.told = Some(value.to_string());
        }
        self.changed.notify_all();
    }

    /// The route of a server for a path: the exact one, else the nearest above.
    pub(in crate::kinds) fn find(&self, server: &str, path: &str) -> Option<Route> {
        let state = self.lock();
        let served = state.routes.values().filter(|route| {
            let is_found = !matches!(route.spec.what, Content::Flag(_) | Content::Field(_));
            route.is_of(server) && is_found && route.covers(path)
        });
        served.max_by_key(|route| (route.spec.path == path, route.spec.path.len())).cloned()
    }

    /// Waits until the content changes; returns whether it is still served.
    pub(in crate::kinds) fn wait(&self, name: &Route, timeout: Duration) -> bool {
        let state = self.lock();
        let find = |state: &State<Files>| {
            state.routes.values().find(|r| r.notifier == name.notifier).map(|route| route.since)
        };
        let waited = self
            .changed
            .wait_timeout_while(state, timeout, |state| find(state) == Some(name.since));
        let (state, _) = waited.unwrap_or_else(PoisonError::into_inner);
        find(&state).is_some()
    }
}

impl<P: Parts> Route<P> {
    fn is_of(&self, server: &str) -> bool {
        self.spec.server.is_empty() || self.spec.server == server
    }
}

impl Route {
    /// Whether it is on a page; a field that is only watched has no name yet.
    fn is_field_of(&self, page: &str) -> bool {
        let is_there = !self.spec.path.is_empty() && self.is_of(page);
        is_there && matches!(self.spec.what, Content::Field(_))
    }

    fn covers(&self, path: &str) -> bool {
        let own = &self.spec.path;
        let is_below = || own.ends_with('/') && path.starts_with(own.as_str());
        own == path
            || matches!(self.spec.what, Content::Tree(_) | Content::Proxy(_) | Content::Page(_))
                && is_below()
    }
}
