//! Kinds that only describe something for others: nothing on the machine belongs to them.

use ordain_graph::Resource;

use crate::host::Host;
use crate::kind::{AttributeDoc, AttributeError, Change, Instance, Kind, KindError, ParseContext};

/// A kind without state.
#[derive(Clone, Copy, Debug)]
pub struct Inert {
    name: &'static str,
    doc: &'static str,
    attributes: &'static [AttributeDoc],
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
        _: &Resource,
        _: &ParseContext<'_>,
    ) -> Result<Box<dyn Instance>, Vec<AttributeError>> {
        Ok(Box::new(Nothing))
    }
}

struct Nothing;

impl Instance for Nothing {
    fn compare(&self, _: &Host) -> Result<Vec<Change>, KindError> {
        Ok(Vec::new())
    }

    fn apply(&self, _: &Host, _: &[Change]) -> Result<(), KindError> {
        Ok(())
    }
}
