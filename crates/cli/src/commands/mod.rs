//! The verbs, a file each: arguments, then what is done.

mod apply;
mod check;
pub mod compile;
mod completions;
pub mod convert;
mod diff;
pub mod encrypt;
mod eval;
mod explain;
mod explain_code;
mod facts;
mod graph;
mod lookup;
pub mod merge;
mod parse;
mod plan;

use clap::Subcommand;

use crate::exit::{Exit, Failure};
use crate::ui::Ui;

/// A verb.
#[derive(Subcommand)]
pub enum Command {
    Check(check::CheckArgs),
    Compile(compile::CompileCommandArgs),
    Plan(plan::PlanArgs),
    Apply(apply::ApplyArgs),
    Explain(explain::ExplainArgs),
    Lookup(lookup::LookupArgs),
    Merge(merge::MergeArgs),
    Process(merge::ProcessArgs),
    Diff(diff::DiffArgs),
    Convert(convert::ConvertArgs),
    Encrypt(encrypt::EncryptArgs),
    Graph(graph::GraphArgs),
    Eval(eval::EvalArgs),
    Facts(facts::FactsArgs),
    Parse(parse::ParseArgs),
    ExplainCode(explain_code::ExplainCodeArgs),
    Completions(completions::CompletionsArgs),
}

impl Command {
    /// Does what the verb says.
    ///
    /// # Errors
    /// Whatever keeps it from its end.
    pub fn run(&self, ui: &mut Ui) -> Result<Exit, Failure> {
        match self {
            Self::Check(args) => check::run(ui, args),
            Self::Compile(args) => compile::run(ui, args),
            Self::Plan(args) => plan::run(ui, args),
            Self::Apply(args) => apply::run(ui, args),
            Self::Explain(args) => explain::run(ui, args),
            Self::Lookup(args) => lookup::run(ui, args),
            Self::Merge(args) => merge::run(ui, args),
            Self::Process(args) => merge::process(ui, args),
            Self::Diff(args) => diff::run(ui, args),
            Self::Convert(args) => convert::run(ui, args),
            Self::Encrypt(args) => encrypt::run(ui, args),
            Self::Graph(args) => graph::run(ui, args),
            Self::Eval(args) => eval::run(ui, args),
            Self::Facts(args) => facts::run(ui, args),
            Self::Parse(args) => parse::run(ui, args),
            Self::ExplainCode(args) => explain_code::run(ui, args),
            Self::Completions(args) => completions::run(ui, args),
        }
    }
}
