//! The function of PuppetDB's terminus.

use ordain_source::inputs::note_unrepeatable;

use crate::error::{EvalResult, plain as fail};
use crate::functions::call::Call;
use crate::functions::support::function;
use crate::functions::{Function, plain, req};
use crate::hiera::values::from_data;
use crate::value::rich::to_data;

/// The functions of this family.
pub const TABLE: &[Function] = &[function(
    "puppetdb_query",
    "Gives the rows of a query about the nodes of the fleet, in PQL or as AST.",
    &[plain(&[req("Variant[String[1], Array[Data, 1]]", "query")], puppetdb_query)],
)];

/// The steps of a compile that a query costs.
const STEPS: u64 = 1_000;

fn puppetdb_query(call: &mut Call<'_, '_>) -> EvalResult {
    call.compiler.budget.spend(STEPS)?;
    let Some(queries) = call.compiler.settings.queries.clone() else {
        return fail("puppetdb_query(): there is no database of nodes; `ordain serve` has one");
    };
    // The rows may be others at the next compile, and they can be many.
    note_unrepeatable(|| "puppetdb_query() asks the database of nodes".into());
    match queries.query(&to_data(call.arg(0))) {
        Ok(rows) => Ok(from_data(&rows)),
        Err(message) => fail(format!("puppetdb_query(): {message}")),
    }
}
