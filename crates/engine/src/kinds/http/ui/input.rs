//! `mgmt::http::server::ui::input`: a value that can be set on a page, and is passed on.

use std::sync::Arc;

use ordain_data::Value;
use ordain_functions::go;
use ordain_graph::Resource;
use ordain_kinds::{KindSchema, network};

use crate::kind::differences::Differences;
use crate::kind::params::Params;
use crate::kind::{Change, Instance, Kind, KindError, LogLine, ParseContext, ParseResult};
use crate::kinds::http::message::form;
use crate::kinds::serving::{Claim, Content, Field, Hub, Route, Spec};
use crate::kinds::shared::shared_kv::Key;
use crate::system::host::Host;
use crate::system::watch::Watch;

const KIND: &str = "mgmt::http::server::ui::input";

/// The kind.
pub struct Input {
    hub: Arc<Hub>,
}

impl Input {
    /// The kind, with the servers of its pages.
    pub(in crate::kinds) fn new(hub: &Arc<Hub>) -> Self {
        Self { hub: Arc::clone(hub) }
    }
}

impl Kind for Input {
    fn schema(&self) -> &KindSchema {
        &network::MGMT_HTTP_SERVER_UI_INPUT
    }

    fn parse(&self, resource: &Resource, _: &ParseContext<'_>) -> ParseResult {
        let mut p = Params::new(resource);
        let id = p.text("id").filter(|id| !id.is_empty()).unwrap_or_else(|| p.name());
        if id.is_empty() {
            p.error("id", "empty id");
        }
        let value = p.text("value").unwrap_or_default();
        let store = p.text("store").filter(|store| !store.is_empty());
        if store.is_some() && !value.is_empty() {
            p.error("store", "may only use either Value or Store");
        }
        let name = p.name();
        let store = store
            .and_then(|store| key(&store, &name).map_err(|error| p.error("store", error)).ok());
        let look = p.text("type").unwrap_or_else(|| "text://".into());
        let look = parse_style(&look).unwrap_or_else(|error| {
            p.error("type", error);
            Vec::new()
        });
        let field = Field { look, sort: p.text("sort").unwrap_or_default(), value };
        let server = p.text("path").unwrap_or_default();
        let claim = Claim::new(&self.hub, KIND, &resource.id.title);
        let spec = Arc::new(Spec { server, path: id, what: Content::Field(field) });
        // It can be watched before it is on a page.
        if claim.hub().route(claim.name()).is_none() {
            let nowhere = Spec { path: String::new(), ..(*spec).clone() };
            claim.hub().serve(claim.name(), Arc::new(nowhere));
        }
        p.finish(Box::new(InputInstance { claim, spec, store }) as Box<dyn Instance>)
    }
}

/// The key of a store.
fn key(store: &str, name: &str) -> Result<Key, String> {
    let url = go::url::parse(store).map_err(|e| e.to_string())?;
    let fields = form(url.raw_query.as_bytes());
    let own = fields.iter().find(|(field, value)| field == "key" && !value.is_empty());
    let key = own.map_or(name, |(_, value)| value);
    match url.scheme.as_str() {
        "local" => Ok(Key::of_machine(key)),
        "world" => Ok(Key::new(key)),
        other => Err(format!("unknown scheme: {other}")),
    }
}

/// Parses the appearance of a field.
fn parse_style(text: &str) -> Result<Vec<(String, String)>, String> {
    let url = go::url::parse(text).map_err(|e| e.to_string())?;
    let mut look = Vec::new();
    match url.scheme.as_str() {
        "text" => {}
        "range" => {
            let fields = form(url.raw_query.as_bytes());
            for bound in ["min", "max", "step"] {
                let own = fields.iter().find(|(field, _)| field == bound);
                let number = own.and_then(|(_, value)| value.parse::<i64>().ok());
                look.extend(number.map(|number| (bound.to_string(), number.to_string())));
            }
        }
        other => return Err(format!("unknown scheme: {other}")),
    }
    look.push(("type".into(), url.scheme));
    Ok(look)
}

struct InputInstance {
    claim: Claim,
    spec: Arc<Spec>,
    store: Option<Key>,
}

/// The current and the desired state.
struct State {
    route: Route,
    /// The value in the store.
    stored: Option<String>,
    /// The value that counts.
    wanted: String,
}

impl InputInstance {
    /// The value that was set last, on a page or in the store; else the declared one.
    fn state(&self, host: &Host) -> Result<Option<State>, KindError> {
        let Some(route) = self.claim.hub().route(self.claim.name()) else { return Ok(None) };
        let stored = match &self.store {
            Some(key) => key.get(host, None)?,
            None => None,
        };
        let is_set = route.value != route.told;
        let is_declared_anew = match (&route.spec.what, &self.spec.what) {
            (Content::Field(old), Content::Field(new)) => old.value != new.value,
            _ => true,
        };
        let declared = || match &self.spec.what {
            Content::Field(field) => field.value.clone(),
            _ => String::new(),
        };
        let now = route.value.clone();
        let wanted = match &stored {
            Some(stored) if !is_set => stored.clone(),
            _ => now.filter(|_| !is_declared_anew).unwrap_or_else(declared),
        };
        Ok(Some(State { route, stored, wanted }))
    }
}

impl Instance for InputInstance {
    fn watches(&self, _: &Host) -> Vec<Watch> {
        let notifier = self.claim.hub().notifier(self.claim.name()).map(Watch::Notifier);
        let store = self.store.iter().map(|key| Watch::Path(key.path().to_path_buf()));
        notifier.into_iter().chain(store).collect()
    }

    fn compare(&self, host: &Host) -> Result<Vec<Change>, KindError> {
        let description = format!("{} takes values", self.spec.path);
        if !self.claim.stays(host, &description) {
            return Ok(Vec::new());
        }
        let Some(State { route, stored, wanted }) = self.state(host)? else {
            return Ok(Vec::new());
        };
        let mut differences = Differences::new(&[]);
        let value = |text: Option<String>| text.map_or(Value::Null, Value::str);
        if route.spec != self.spec {
            differences.property("input", Value::Null, Value::str(self.spec.path.as_str()));
        }
        if self.store.is_some() && stored.as_ref() != Some(&wanted) {
            differences.property("store", value(stored), Value::str(wanted.as_str()));
        }
        if route.told.as_ref() != Some(&wanted) {
            differences.property("value", value(route.told), Value::str(wanted));
        }
        Ok(differences.finish())
    }

    fn apply(&self, host: &Host, _: &[Change]) -> Result<(), KindError> {
        let Some(State { route, stored, wanted }) = self.state(host)? else { return Ok(()) };
        if let Some(key) = self.store.as_ref().filter(|_| stored.as_ref() != Some(&wanted)) {
            key.set(host, None, Some(&wanted), None)?;
        }
        let (hub, name) = (self.claim.hub(), self.claim.name());
        if route.spec != self.spec {
            hub.serve(name, Arc::clone(&self.spec));
        }
        hub.settle(name, route.value.as_deref(), &wanted);
        Ok(())
    }

    /// Sends the published value, or the desired one in a run that ends.
    fn sent(&self, host: &Host) -> Result<Vec<(&'static str, Value)>, KindError> {
        let Some(State { route, wanted, .. }) = self.state(host)? else { return Ok(Vec::new()) };
        let value = route.told.filter(|_| host.stays).unwrap_or(wanted);
        Ok(vec![("value", Value::str(value))])
    }

    fn take_log(&self) -> Vec<LogLine> {
        self.claim.take_log()
    }
}
