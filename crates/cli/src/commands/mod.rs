//! The command line and its verbs, one file each: first the arguments, then the implementation.

pub(crate) mod apply;
mod ca;
mod check;
pub(crate) mod code;
pub(crate) mod compile;
mod completions;
pub(crate) mod convert;
mod deploy;
mod diff;
mod doctor;
pub(crate) mod encrypt;
mod eval;
mod explain;
mod explain_code;
mod explore;
mod facts;
mod fleet;
mod fmt;
mod graph;
mod help;
mod history;
mod init;
mod kinds;
mod lookup;
mod lsp;
mod man;
pub(crate) mod merge;
mod parse;
pub(crate) mod plan;
mod rollback;
mod schema;
mod serve;
mod test;
mod types;
mod version;

use std::ffi::OsString;

use clap::{Args, CommandFactory, FromArgMatches, Parser, Subcommand};

use crate::agent::{self, AgentArgs};
use crate::exit::{self, Exit, Failure};
use crate::options::GlobalArgs;
use crate::ui::Ui;
use crate::watch::{self, WatchArgs};

/// Compile, check, explain, compare, plan and apply desired state
#[derive(Parser)]
#[command(name = "ordain", version, long_version = version::long())]
#[command(max_term_width = 100, after_help = exit::HELP, disable_help_subcommand = true)]
pub(crate) struct Cli {
    #[command(flatten)]
    pub global: GlobalArgs,
    #[command(subcommand)]
    pub command: Command,
}

impl Cli {
    /// Parses the command line. If it starts with a verb, only the arguments of that verb are
    /// built: building those of all verbs takes longer than many runs.
    ///
    /// # Errors
    /// Help, the version, or a usage error.
    pub(crate) fn read(args: Vec<OsString>) -> Result<Self, clap::Error> {
        let first = args.get(1).and_then(|verb| verb.to_str());
        let Some(verb) = first.and_then(Command::single) else {
            return Self::from_arg_matches_mut(&mut full_command().try_get_matches_from(args)?);
        };
        let program =
            clap::Command::new("ordain").max_term_width(100).disable_help_subcommand(true);
        let program = GlobalArgs::augment_args(program).subcommand(verb);
        Self::from_arg_matches_mut(&mut program.try_get_matches_from(args)?)
    }
}

/// The command line with all verbs.
pub(crate) fn full_command() -> clap::Command {
    code::with_code_note("", Cli::command())
}

/// Runs `ordain completions` with the whole command line, which only this module knows.
fn print_completions(ui: &mut Ui, args: &completions::CompletionsArgs) -> Result<Exit, Failure> {
    completions::run(ui, args, Cli::command())
}

/// Runs `ordain help` with the whole command line.
fn print_help(ui: &mut Ui, args: &help::HelpArgs) -> Result<Exit, Failure> {
    help::run(ui, args, full_command())
}

/// Runs `ordain man` with the whole command line.
fn write_manual(ui: &mut Ui, args: &man::ManArgs) -> Result<Exit, Failure> {
    man::run(ui, args, full_command())
}

/// Defines the verbs: the name, the arguments and the function of each.
macro_rules! verbs {
    ($($verb:literal $name:ident($args:ty) => $run:path,)*) => {
        /// A verb.
        #[derive(Subcommand)]
        pub(crate) enum Command {
            $(#[command(name = $verb)] $name($args),)*
        }

        impl Command {
            /// Runs the verb.
            ///
            /// # Errors
            /// When the verb fails.
            pub(crate) fn run(&self, ui: &mut Ui) -> Result<Exit, Failure> {
                match self {
                    $(Self::$name(args) => $run(ui, args),)*
                }
            }

            /// Whether a verb only reads and evaluates its input. Others examine or change the
            /// machine, which has no budget; they limit their evaluations themselves.
            pub(crate) fn only_evaluates(&self) -> bool {
                let acts = matches!(
                    self,
                    Self::Plan(_)
                        | Self::Apply(_)
                        | Self::Watch(_)
                        | Self::Serve(_)
                        | Self::Agent(_)
                        | Self::Deploy(_)
                        | Self::Rollback(_)
                        | Self::History(_)
                        | Self::Show(_)
                        | Self::Facts(_)
                        | Self::Ca(_)
                        // A server runs until its editor ends.
                        | Self::Lsp(_)
                        // Each node has budgets of its own.
                        | Self::Fleet(_)
                        | Self::Worker(_)
                        | Self::Explore(_)
                );
                !acts
            }

            /// The arguments of one verb, without building those of all others.
            pub(crate) fn single(verb: &str) -> Option<clap::Command> {
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
    "serve" Serve(serve::ServeArgs) => serve::run,
    "agent" Agent(AgentArgs) => agent::run,
    "deploy" Deploy(deploy::DeployArgs) => deploy::run,
    "history" History(history::HistoryArgs) => history::run,
    "rollback" Rollback(rollback::RollbackArgs) => rollback::run,
    "show" Show(history::ShowArgs) => history::show,
    "doctor" Doctor(doctor::DoctorArgs) => doctor::run,
    "ca" Ca(ca::CaArgs) => ca::run,
    "fleet" Fleet(fleet::FleetArgs) => fleet::run,
    "worker" Worker(fleet::WorkerArgs) => fleet::run_worker,
    "explain" Explain(explain::ExplainArgs) => explain::run,
    "explore" Explore(explore::ExploreArgs) => explore::run,
    "lookup" Lookup(lookup::LookupArgs) => lookup::run,
    "merge" Merge(merge::MergeArgs) => merge::run,
    "process" Process(merge::ProcessArgs) => merge::process,
    "diff" Diff(diff::DiffArgs) => diff::run,
    "convert" Convert(convert::ConvertArgs) => convert::run,
    "encrypt" Encrypt(encrypt::EncryptArgs) => encrypt::run,
    "graph" Graph(graph::GraphArgs) => graph::run,
    "eval" Eval(eval::EvalArgs) => eval::run,
    "test" Test(test::TestArgs) => test::run,
    "init" Init(init::InitArgs) => init::run,
    "new" New(init::NewArgs) => init::run_new,
    "fmt" Fmt(fmt::FmtArgs) => fmt::run,
    "lsp" Lsp(lsp::LspArgs) => lsp::run,
    "facts" Facts(facts::FactsArgs) => facts::run,
    "kinds" Kinds(kinds::KindsArgs) => kinds::run,
    "types" Types(types::TypesArgs) => types::run,
    "schema" Schema(schema::SchemaArgs) => schema::run,
    "parse" Parse(parse::ParseArgs) => parse::run,
    "explain-code" ExplainCode(explain_code::ExplainCodeArgs) => explain_code::run,
    "completions" Completions(completions::CompletionsArgs) => print_completions,
    "man" Man(man::ManArgs) => write_manual,
    "help" Help(help::HelpArgs) => print_help,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_verb_alone_is_read_as_among_all_verbs() {
        let all = Cli::command();
        let verbs: Vec<&str> = all.get_subcommands().map(clap::Command::get_name).collect();
        assert!(verbs.contains(&"explain-code"));
        for verb in verbs {
            assert!(Command::single(verb).is_some(), "{verb}");
            for arguments in [&["--help"][..], &["-h"], &["--no-such-flag"], &["--color", "mauve"]]
            {
                let line = || ["ordain", verb].into_iter().chain(arguments.iter().copied());
                let message = |result: Result<Cli, clap::Error>| match result {
                    Ok(_) => String::new(),
                    Err(error) => error.render().ansi().to_string(),
                };
                let alone = message(Cli::read(line().map(OsString::from).collect()));
                let among = full_command().try_get_matches_from(line());
                let among = message(among.and_then(|mut m| Cli::from_arg_matches_mut(&mut m)));
                assert_eq!(alone, among, "{verb} {arguments:?}");
                assert!(!alone.is_empty());
            }
        }
    }
}
