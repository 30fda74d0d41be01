//! `mgmt::http::server::flag`: a value that is sent to a server, and passed on.

use std::sync::Arc;

use ordain_data::Value;
use ordain_graph::Resource;
use ordain_kinds::{KindSchema, network};

use crate::kind::differences::Differences;
use crate::kind::params::Params;
use crate::kind::{Change, Instance, Kind, KindError, LogLine, ParseContext, ParseResult};
use crate::kinds::serving::{Claim, Content, Hub, Spec};
use crate::system::host::Host;
use crate::system::watch::Watch;

const KIND: &str = "mgmt::http::server::flag";

/// The kind.
pub struct Flag {
    hub: Arc<Hub>,
}

impl Flag {
    /// The kind, with the servers that take it.
    pub(in crate::kinds) fn new(hub: &Arc<Hub>) -> Self {
        Self { hub: Arc::clone(hub) }
    }
}

impl Kind for Flag {
    fn schema(&self) -> &KindSchema {
        &network::MGMT_HTTP_SERVER_FLAG
    }

    fn parse(&self, resource: &Resource, _: &ParseContext<'_>) -> ParseResult {
        let mut p = Params::new(resource);
        let path = p.text("path").filter(|path| !path.is_empty()).unwrap_or_else(|| p.name());
        if !path.starts_with('/') || path.contains(char::is_control) {
            p.error("path", "the path must be absolute");
        }
        let key = p.text("key").unwrap_or_default();
        let server = p.text("server").unwrap_or_default();
        let claim = Claim::new(&self.hub, KIND, &resource.id.title);
        let spec = Arc::new(Spec { server, path, what: Content::Flag(key) });
        // It can be watched before it is served.
        if claim.hub().route(claim.name()).is_none() {
            let nowhere = Spec { path: String::new(), ..(*spec).clone() };
            claim.hub().serve(claim.name(), Arc::new(nowhere));
        }
        p.finish(Box::new(FlagInstance { claim, spec }) as Box<dyn Instance>)
    }
}

struct FlagInstance {
    claim: Claim,
    spec: Arc<Spec>,
}

impl Instance for FlagInstance {
    fn watches(&self, _: &Host) -> Vec<Watch> {
        let notifier = self.claim.hub().notifier(self.claim.name());
        notifier.map(Watch::Notifier).into_iter().collect()
    }

    fn compare(&self, host: &Host) -> Result<Vec<Change>, KindError> {
        if !self.claim.stays(host, &format!("{} takes values", self.spec.path)) {
            return Ok(Vec::new());
        }
        let mut differences = Differences::new(&[]);
        let Some(now) = self.claim.hub().route(self.claim.name()) else { return Ok(Vec::new()) };
        if now.spec != self.spec {
            differences.property("path", Value::Null, Value::str(self.spec.path.as_str()));
        }
        if now.value != now.told {
            let value = |text: Option<String>| text.map_or(Value::Null, Value::str);
            differences.property("value", value(now.told), value(now.value));
        }
        Ok(differences.finish())
    }

    fn apply(&self, _: &Host, _: &[Change]) -> Result<(), KindError> {
        let (hub, name) = (self.claim.hub(), self.claim.name());
        hub.serve(name, Arc::clone(&self.spec));
        hub.notify(name);
        Ok(())
    }

    fn sent(&self, _: &Host) -> Result<Vec<(&'static str, Value)>, KindError> {
        let route = self.claim.hub().route(self.claim.name());
        let value = route.and_then(|route| route.told).unwrap_or_default();
        Ok(vec![("value", Value::str(value))])
    }

    fn take_log(&self) -> Vec<LogLine> {
        self.claim.take_log()
    }
}
