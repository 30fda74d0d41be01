//! `mgmt::exit`: the end of the run.

use ordain_data::Value;
use ordain_graph::Resource;
use ordain_kinds::{KindSchema, graph};

use crate::kind::params::Params;
use crate::kind::{Action, Change, Instance, Kind, KindError, ParseContext, ParseResult};
use crate::system::host::Host;

/// The kind.
#[derive(Clone, Copy, Debug, Default)]
pub struct Exit;

impl Kind for Exit {
    fn schema(&self) -> &KindSchema {
        &graph::MGMT_EXIT
    }

    fn parse(&self, resource: &Resource, _: &ParseContext<'_>) -> ParseResult {
        let mut p = Params::new(resource);
        let text = "the code must be in the range [0, 125]";
        let code = p.integer("code", text).unwrap_or(0);
        let code = u8::try_from(code).ok().filter(|code| *code <= 125).unwrap_or_else(|| {
            p.error("code", text);
            0
        });
        p.finish(Box::new(End { code }) as Box<dyn Instance>)
    }
}

struct End {
    code: u8,
}

impl Instance for End {
    fn compare(&self, _: &Host) -> Result<Vec<Change>, KindError> {
        Ok(vec![Change {
            action: Action::Run,
            property: "code".to_string(),
            before: Value::Null,
            after: Value::Int(self.code.into()),
            text: None,
            message: format!("ends the run with exit code {}", self.code),
        }])
    }

    fn apply(&self, host: &Host, _: &[Change]) -> Result<(), KindError> {
        host.end_run(self.code);
        Ok(())
    }
}
