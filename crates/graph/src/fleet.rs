//! Questions about the nodes of a fleet, which a compile may ask.

use ordain_data::Value;

/// The database of a fleet: facts, catalogs and reports of its nodes.
pub trait FleetQueries: std::fmt::Debug + Send + Sync {
    /// Answers a query in one of PuppetDB's languages: a text in PQL, or an AST as a list.
    ///
    /// # Errors
    /// The reason why there is no answer, for the author of the query.
    fn query(&self, query: &Value) -> Result<Value, String>;
}
