//! Errors: failures of expressions, the report of the original, and diagnostics with places and
//! causes.
//!
//! | module | contents |
//! | --- | --- |
//! | [`stop`] | failures of expressions, and values that are waited for |
//! | [`report`] | the report of the original: a line for each node without a value |
//! | `causes` | the cause behind each line of the report |
//! | [`diagnose`] | one diagnostic for each cause, with its place |
//! | [`codes`] | the codes of diagnostics and their documentation |
//! | `hints`, `places` | likely mistakes, and their exact places in a file |
//! | [`yaml`] | errors of YAML in the words of spiff |

mod causes;
pub mod codes;
pub mod diagnose;
pub(crate) mod hints;
pub(crate) mod places;
pub mod report;
pub mod stop;
pub mod yaml;
