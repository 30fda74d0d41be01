//! `ordain types from-ruby`: resource types in Ruby as types of the language.

use clap::Args;

use crate::exit::{Exit, Failure};
use crate::ui::Ui;

/// x
#[derive(Args)]
pub struct FromRubyArgs {}

/// x
///
/// # Errors
/// x
pub fn run(_: &mut Ui, _: &FromRubyArgs) -> Result<Exit, Failure> {
    Ok(Exit::Done)
}
