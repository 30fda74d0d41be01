//! The verbs, one file each: first the arguments, then the implementation.

mod apply;
mod check;
pub mod code;
pub mod compile;
mod completions;
pub mod convert;
mod diff;
mod doctor;
pub mod encrypt;
mod eval;
mod explain;
mod explain_code;
mod facts;
mod fmt;
mod graph;
mod history;
mod kinds;
mod lookup;
pub mod merge;
mod parse;
pub mod plan;
mod rollback;
mod types;

use clap::{Args, Subcommand};

use crate::exit::{Exit, Failure};
use crate::ui::Ui;
use crate::watch::{self, WatchArgs};

/// Defines the verbs: the name, the arguments and the function of each.
macro_rules! verbs {
    ($($verb:literal $name:ident($args:ty) => $run:path,)*) => {
        /// A verb.
        #[derive(Subcommand)]
        pub enum Command {
            $(#[command(name = $verb)] $name($args),)*
        }

        impl Command {
            /// Runs the verb.
            ///
            /// # Errors
            /// When the verb fails.
            pub fn run(&self, ui: &mut Ui) -> Result<Exit, Failure> {
                match self {
                    $(Self::$name(args) => $run(ui, args),)*
                }
            }

            /// Whether a verb only reads and evaluates its input. Others examine or change the
            /// machine, which has no budget; they limit their evaluations themselves.
            pub fn only_evaluates(&self) -> bool {
                let acts = matches!(
                    self,
                    Self::Plan(_)
                        | Self::Apply(_)
                        | Self::Watch(_)
                        | Self::Rollback(_)
                        | Self::History(_)
                        | Self::Show(_)
                        | Self::Facts(_)
                );
                !acts
            }

            /// The arguments of one verb, without building those of all others.
            pub fn single(verb: &str) -> Option<clap::Command> {
                match verb {
                    $($verb => Some(code::with_code_note(
                        $verb,
                        <$args>::augment_args(clap::Command::new($verb)),
                    )),)*
                    _ => None,
                }
            }
        }
    };
}

verbs! {
    "check" Check(check::CheckArgs) => check::run,
    "compile" Compile(compile::CompileCommandArgs) => compile::run,
    "plan" Plan(plan::PlanArgs) => plan::run,
    "apply" Apply(apply::ApplyArgs) => apply::run,
    "watch" Watch(WatchArgs) => watch::run,
    "history" History(history::HistoryArgs) => history::run,
    "rollback" Rollback(rollback::RollbackArgs) => rollback::run,
    "show" Show(history::ShowArgs) => history::show,
    "doctor" Doctor(doctor::DoctorArgs) => doctor::run,
    "explain" Explain(explain::ExplainArgs) => explain::run,
    "lookup" Lookup(lookup::LookupArgs) => lookup::run,
    "merge" Merge(merge::MergeArgs) => merge::run,
    "process" Process(merge::ProcessArgs) => merge::process,
    "diff" Diff(diff::DiffArgs) => diff::run,
    "convert" Convert(convert::ConvertArgs) => convert::run,
    "encrypt" Encrypt(encrypt::EncryptArgs) => encrypt::run,
    "graph" Graph(graph::GraphArgs) => graph::run,
    "eval" Eval(eval::EvalArgs) => eval::run,
    "fmt" Fmt(fmt::FmtArgs) => fmt::run,
    "facts" Facts(facts::FactsArgs) => facts::run,
    "kinds" Kinds(kinds::KindsArgs) => kinds::run,
    "types" Types(types::TypesArgs) => types::run,
    "parse" Parse(parse::ParseArgs) => parse::run,
    "explain-code" ExplainCode(explain_code::ExplainCodeArgs) => explain_code::run,
    "completions" Completions(completions::CompletionsArgs) => completions::run,
}
