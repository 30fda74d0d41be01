//! `mgmt::http::server::ui`: a page of inputs.

mod answer;
mod input;

use std::sync::Arc;

use ordain_data::Value;
use ordain_graph::Resource;
use ordain_kinds::{KindSchema, network};

use crate::kind::params::Params;
use crate::kind::{Change, Instance, Kind, KindError, LogLine, ParseContext, ParseResult};
use crate::kinds::serving::{Claim, Content, Hub, Page, Spec};
use crate::system::host::Host;

pub(super) use answer::{PageRequest, answer};
pub use input::Input;

const KIND: &str = "mgmt::http::server::ui";

/// The kind.
pub struct Ui {
    hub: Arc<Hub>,
}

impl Ui {
    /// The kind, with the servers that have it.
    pub(in crate::kinds) fn new(hub: &Arc<Hub>) -> Self {
        Self { hub: Arc::clone(hub) }
    }
}

impl Kind for Ui {
    fn schema(&self) -> &KindSchema {
        &network::MGMT_HTTP_SERVER_UI
    }

    fn parse(&self, resource: &Resource, _: &ParseContext<'_>) -> ParseResult {
        let mut p = Params::new(resource);
        let path = p.text("path").filter(|path| !path.is_empty()).unwrap_or_else(|| p.name());
        if !path.starts_with('/') || path.contains(char::is_control) {
            p.error("path", "the Path must be absolute");
        } else if !path.ends_with('/') {
            p.error("path", "the Path must end with a slash");
        }
        let data = p.raw("data");
        let text = |name: &str| {
            let value = data.and_then(|data| data.get(name)).and_then(Value::as_str);
            value.unwrap_or_default().to_string()
        };
        if data.is_some_and(|data| !matches!(data, Value::Map(_))) {
            p.error("data", "data must have title and head");
        }
        let title = resource.id.title.to_string();
        let page = Page { name: title, title: text("title"), head: text("head") };
        let server = p.text("server").unwrap_or_default();
        let ui = UiInstance {
            claim: Claim::new(&self.hub, KIND, &resource.id.title),
            spec: Spec { server, path, what: Content::Page(page) },
        };
        p.finish(Box::new(ui) as Box<dyn Instance>)
    }
}

struct UiInstance {
    claim: Claim,
    spec: Spec,
}

impl Instance for UiInstance {
    fn compare(&self, host: &Host) -> Result<Vec<Change>, KindError> {
        if !self.claim.stays(host, &format!("{} is served", self.spec.path)) {
            return Ok(Vec::new());
        }
        Ok(self.claim.compare(&self.spec, "page"))
    }

    fn apply(&self, _: &Host, _: &[Change]) -> Result<(), KindError> {
        self.claim.serve(self.spec.clone());
        Ok(())
    }

    fn take_log(&self) -> Vec<LogLine> {
        self.claim.take_log()
    }
}
