//! Kinds that only describe something for others: nothing on the machine belongs to them.

use ordain_data::Value;
use ordain_graph::Resource;

use crate::kind::{AttributeDoc, AttributeError, Change, Instance, Kind, KindError, ParseContext};
use crate::system::host::Host;

/// A kind without state.
#[derive(Clone, Copy, Debug)]
pub struct Inert {
    name: &'static str,
    doc: &'static str,
    attributes: &'static [AttributeDoc],
    /// What it hands on, and the attributes that this is the value of.
    sends: &'static [(&'static str, &'static str)],
    /// Whether it passes notifications on.
    passes_on: bool,
}

/// When resources may be applied.
pub const SCHEDULE: Inert = Inert {
    name: "schedule",
    doc: "Describes when resources may be applied",
    attributes: &[
        AttributeDoc { name: "name", doc: "Its name" },
        AttributeDoc { name: "period", doc: "hourly, daily, weekly, monthly or never" },
        AttributeDoc { name: "periodmatch", doc: "distance (default) or number" },
        AttributeDoc { name: "range", doc: "Times of the day, such as `2 - 4`" },
        AttributeDoc { name: "repeat", doc: "How often in a period" },
        AttributeDoc { name: "weekday", doc: "Days of the week" },
    ],
    sends: &[],
    passes_on: false,
};

/// Where backups of files go.
pub const FILEBUCKET: Inert = Inert {
    name: "filebucket",
    doc: "Names a store for replaced files; all of them are this machine's own",
    attributes: &[
        AttributeDoc { name: "name", doc: "Its name" },
        AttributeDoc { name: "path", doc: "Accepted; the store is Ordain's" },
        AttributeDoc { name: "port", doc: "Accepted; the store is local" },
        AttributeDoc { name: "server", doc: "Accepted; the store is local" },
    ],
    sends: &[],
    passes_on: false,
};

const NAME_ONLY: &[AttributeDoc] = &[AttributeDoc { name: "name", doc: "Its name" }];

/// What modules put at the begin and the end of a class, so that it holds what it declares.
pub const ANCHOR: Inert = Inert {
    name: "anchor",
    doc: "A place in the order; passes notifications on",
    attributes: NAME_ONLY,
    sends: &[],
    passes_on: true,
};

/// What Puppet itself puts at the begin and the end of containers.
pub const WHIT: Inert = Inert {
    name: "whit",
    doc: "A place in the order; passes notifications on",
    attributes: NAME_ONLY,
    sends: &[],
    passes_on: true,
};

/// What stands for nothing, to try relations with.
pub const NULL_RESOURCE: Inert = Inert {
    name: "std::testing::nullresource",
    doc: "Stands for nothing; models of Inmanta use it to try relations",
    attributes: &[
        AttributeDoc { name: "name", doc: "Its name" },
        AttributeDoc { name: "agentname", doc: "Whose it is" },
        AttributeDoc { name: "fail", doc: "Whether it fails; false here" },
        AttributeDoc { name: "int_value", doc: "A number" },
        AttributeDoc { name: "purged", doc: "Whether it is to be gone" },
        AttributeDoc { name: "value", doc: "A text" },
    ],
    sends: &[],
    passes_on: false,
};

/// What only stands in the graph.
pub const NOOP: Inert = Inert {
    name: "mgmt::noop",
    doc: "Does nothing, for relations of others to lead through",
    attributes: &[
        AttributeDoc { name: "name", doc: "Its name" },
        AttributeDoc { name: "comment", doc: "Anything" },
    ],
    sends: &[],
    passes_on: false,
};

/// What only counts while a graph is kept true.
pub const TIMER: Inert = Inert {
    name: "mgmt::timer",
    doc: "Gives an event every so often while a graph is kept true; nothing in a single run",
    attributes: &[
        AttributeDoc { name: "name", doc: "Its name" },
        AttributeDoc { name: "interval", doc: "Seconds between two events" },
    ],
    sends: &[],
    passes_on: false,
};

/// A value on its way from one resource to another.
pub const VALUE: Inert = Inert {
    name: "mgmt::value",
    doc: "Hands a value on to those that receive from it",
    attributes: &[
        AttributeDoc { name: "name", doc: "Its name" },
        AttributeDoc { name: "any", doc: "The value" },
    ],
    sends: &[("any", "any")],
    passes_on: false,
};

const fn field(name: &'static str) -> AttributeDoc {
    AttributeDoc { name, doc: "A value to try with" }
}

/// What languages are tried with: it has fields of all types, and is always as it shall be.
pub const TEST: Inert = Inert {
    name: "mgmt::test",
    doc: "Has values of all types and no state; programs of mgmt are tried with it",
    attributes: &[
        field("name"),
        field("alwaysgroup"),
        field("anotherstr"),
        field("answer"),
        field("bool"),
        field("boolptr"),
        field("byte"),
        field("comment"),
        field("comparefail"),
        field("expectrecv"),
        field("float32"),
        field("float64"),
        field("func1"),
        field("int"),
        field("int16"),
        field("int32"),
        field("int64"),
        field("int64ptr"),
        field("int8"),
        field("int8ptr"),
        field("int8ptrptrptr"),
        field("interface"),
        field("mapintfloat"),
        field("mixedstruct"),
        field("onlyshow"),
        field("rune"),
        field("sendvalue"),
        field("slicestring"),
        field("str"),
        field("stringptr"),
        field("uint"),
        field("uint16"),
        field("uint32"),
        field("uint64"),
        field("uint8"),
        field("uint8ptr"),
        field("validatebool"),
        field("validateerror"),
        field("waitforerror"),
    ],
    sends: &[("answer", "answer"), ("hello", "sendvalue")],
    passes_on: false,
};

impl Kind for Inert {
    fn name(&self) -> &'static str {
        self.name
    }

    fn doc(&self) -> &'static str {
        self.doc
    }

    fn attributes(&self) -> &'static [AttributeDoc] {
        self.attributes
    }

    fn parse(
        &self,
        resource: &Resource,
        _: &ParseContext<'_>,
    ) -> Result<Box<dyn Instance>, Vec<AttributeError>> {
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
