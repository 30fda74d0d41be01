//! Kinds that only describe something for others: they manage nothing on the machine.

use ordain_data::Value;
use ordain_graph::Resource;
use ordain_kinds::{KindSchema, graph};

use crate::kind::{Change, Instance, Kind, KindError, ParseContext, ParseResult};
use crate::system::host::Host;

/// A kind without state.
#[derive(Clone, Copy, Debug)]
pub struct Inert {
    schema: &'static KindSchema,
    /// The names of the values that it sends, each with the attribute that holds the value.
    sends: &'static [(&'static str, &'static str)],
    /// Whether it passes notifications on.
    passes_on: bool,
}

/// The times at which resources may be applied.
pub const SCHEDULE: Inert = Inert { schema: &graph::SCHEDULE, sends: &[], passes_on: false };

/// The destination of file backups.
pub const FILEBUCKET: Inert = Inert { schema: &graph::FILEBUCKET, sends: &[], passes_on: false };

/// Modules put an anchor at the begin and the end of a class, so that the class contains its
/// resources.
pub const ANCHOR: Inert = Inert { schema: &graph::ANCHOR, sends: &[], passes_on: true };

/// Puppet puts a whit at the begin and the end of containers.
pub const WHIT: Inert = Inert { schema: &graph::WHIT, sends: &[], passes_on: true };

/// A resource without effect, to test relationships.
pub const NULL_RESOURCE: Inert =
    Inert { schema: &graph::NULL_RESOURCE, sends: &[], passes_on: false };

/// A resource that only takes part in relationships.
pub const NOOP: Inert = Inert { schema: &graph::MGMT_NOOP, sends: &[], passes_on: false };

/// A source of events during a watch.
pub const TIMER: Inert = Inert { schema: &graph::MGMT_TIMER, sends: &[], passes_on: false };

/// A value that one resource passes to another.
pub const VALUE: Inert =
    Inert { schema: &graph::MGMT_VALUE, sends: &[("any", "any")], passes_on: false };

/// A resource to test languages: it has fields of all types and is always in place.
pub const TEST: Inert = Inert {
    schema: &graph::MGMT_TEST,
    sends: &[("answer", "answer"), ("hello", "sendvalue")],
    passes_on: false,
};

impl Kind for Inert {
    fn schema(&self) -> &KindSchema {
        self.schema
    }

    fn parse(&self, resource: &Resource, _: &ParseContext<'_>) -> ParseResult {
        let value =
            |(key, name): &(&'static str, &str)| Some((*key, resource.value(name)?.clone()));
        let sent = self.sends.iter().filter_map(value).collect();
        Ok(Box::new(InertInstance { sent, passes_on: self.passes_on }))
    }
}

struct InertInstance {
    sent: Vec<(&'static str, Value)>,
    passes_on: bool,
}

impl Instance for InertInstance {
    fn compare(&self, _: &Host) -> Result<Vec<Change>, KindError> {
        Ok(Vec::new())
    }

    fn apply(&self, _: &Host, _: &[Change]) -> Result<(), KindError> {
        Ok(())
    }

    fn refreshable(&self) -> bool {
        self.passes_on
    }

    fn sent(&self, _: &Host) -> Result<Vec<(&'static str, Value)>, KindError> {
        Ok(self.sent.clone())
    }
}
