//! The command line and its verbs, one file each: first the arguments, then the implementation.

pub(crate) mod apply;
#[cfg(feature = "full")]
mod ca;
#[cfg(feature = "full")]
mod check;
pub(crate) mod code;
#[cfg(feature = "full")]
pub(crate) mod compile;
mod completions;
#[cfg(feature = "full")]
pub(crate) mod convert;
#[cfg(feature = "full")]
mod deploy;
#[cfg(feature = "full")]
mod diff;
mod doctor;
#[cfg(feature = "full")]
pub(crate) mod encrypt;
#[cfg(feature = "full")]
mod eval;
#[cfg(feature = "full")]
mod explain;
#[cfg(feature = "full")]
mod explain_code;
#[cfg(feature = "full")]
mod explore;
mod facts;
#[cfg(feature = "full")]
mod fleet;
#[cfg(feature = "full")]
mod fmt;
#[cfg(feature = "full")]
mod graph;
mod help;
mod history;
#[cfg(feature = "full")]
mod init;
#[cfg(feature = "full")]
mod kinds;
#[cfg(feature = "full")]
mod lookup;
#[cfg(feature = "full")]
mod lsp;
mod man;
#[cfg(feature = "full")]
pub(crate) mod merge;
#[cfg(feature = "full")]
mod parse;
pub(crate) mod plan;
mod rollback;
#[cfg(feature = "full")]
mod schema;
#[cfg(feature = "full")]
mod serve;
#[cfg(feature = "full")]
mod test;
#[cfg(feature = "full")]
mod types;
pub(crate) mod version;

use std::ffi::OsString;

use clap::{Args, CommandFactory, FromArgMatches, Parser, Subcommand};

use crate::agent::{self, AgentArgs};
use crate::exit::{self, Exit, Failure};
use crate::options::GlobalArgs;
use crate::ui::Ui;
#[cfg(feature = "full")]
use crate::watch::{self, WatchArgs};

#[cfg_attr(
    feature = "full",
    doc = "Compile, check, explain, compare, plan and apply desired state"
)]
#[cfg_attr(
    not(feature = "full"),
    doc = "Apply the desired state that a server has for this machine, show and undo the runs"
)]
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

/// Defines the verbs: the name, the arguments and the function of each. `evaluates` marks the verbs
/// that only read and evaluate their input, `acts` those that examine or change the machine, or run
/// for long.
macro_rules! verbs {
    ($($(#[$condition:meta])* $verb:literal $effect:ident $name:ident($args:ty) => $run:path,)*) => {
        /// A verb.
        #[derive(Subcommand)]
        #[allow(clippy::large_enum_variant, reason = "a process has one value of it")]
        pub(crate) enum Command {
            $($(#[$condition])* #[command(name = $verb)] $name($args),)*
        }

        impl Command {
            /// Runs the verb.
            ///
            /// # Errors
            /// When the verb fails.
            pub(crate) fn run(&self, ui: &mut Ui) -> Result<Exit, Failure> {
                match self {
                    $($(#[$condition])* Self::$name(args) => $run(ui, args),)*
                }
            }

            /// Whether a verb only reads and evaluates its input. The others have no budget: they
            /// examine or change the machine, run until somebody ends them, or limit each of
            /// their evaluations themselves.
            pub(crate) fn only_evaluates(&self) -> bool {
                match self {
                    $($(#[$condition])* Self::$name(_) => verbs!(@$effect),)*
                }
            }

            /// The arguments of one verb, without building those of all others.
            pub(crate) fn single(verb: &str) -> Option<clap::Command> {
                match verb {
                    $($(#[$condition])* $verb => Some(code::with_code_note(
                        $verb,
                        <$args>::augment_args(clap::Command::new($verb)),
                    )),)*
                    _ => None,
                }
            }
        }
    };
    (@evaluates) => { true };
    (@acts) => { false };
}

verbs! {
    #[cfg(feature = "full")]
    "check" evaluates Check(check::CheckArgs) => check::run,
    #[cfg(feature = "full")]
    "compile" evaluates Compile(compile::CompileCommandArgs) => compile::run,
    #[cfg(feature = "full")]
    "plan" acts Plan(plan::PlanArgs) => plan::run,
    #[cfg(feature = "full")]
    "apply" acts Apply(apply::ApplyArgs) => apply::run,
    #[cfg(feature = "full")]
    "watch" acts Watch(WatchArgs) => watch::run,
    #[cfg(feature = "full")]
    "serve" acts Serve(serve::ServeArgs) => serve::run,
    "agent" acts Agent(AgentArgs) => agent::run,
    #[cfg(feature = "full")]
    "deploy" acts Deploy(deploy::DeployArgs) => deploy::run,
    "history" acts History(history::HistoryArgs) => history::run,
    "rollback" acts Rollback(rollback::RollbackArgs) => rollback::run,
    "show" acts Show(history::ShowArgs) => history::show,
    "doctor" evaluates Doctor(doctor::DoctorArgs) => doctor::run,
    #[cfg(feature = "full")]
    "ca" acts Ca(ca::CaArgs) => ca::run,
    #[cfg(feature = "full")]
    "fleet" acts Fleet(fleet::FleetArgs) => fleet::run,
    #[cfg(feature = "full")]
    "worker" acts Worker(fleet::WorkerArgs) => fleet::run_worker,
    #[cfg(feature = "full")]
    "explain" evaluates Explain(explain::ExplainArgs) => explain::run,
    #[cfg(feature = "full")]
    "explore" acts Explore(explore::ExploreArgs) => explore::run,
    #[cfg(feature = "full")]
    "lookup" evaluates Lookup(lookup::LookupArgs) => lookup::run,
    #[cfg(feature = "full")]
    "merge" evaluates Merge(merge::MergeArgs) => merge::run,
    #[cfg(feature = "full")]
    "process" evaluates Process(merge::ProcessArgs) => merge::process,
    #[cfg(feature = "full")]
    "diff" evaluates Diff(diff::DiffArgs) => diff::run,
    #[cfg(feature = "full")]
    "convert" evaluates Convert(convert::ConvertArgs) => convert::run,
    #[cfg(feature = "full")]
    "encrypt" evaluates Encrypt(encrypt::EncryptArgs) => encrypt::run,
    #[cfg(feature = "full")]
    "graph" evaluates Graph(graph::GraphArgs) => graph::run,
    #[cfg(feature = "full")]
    "eval" evaluates Eval(eval::EvalArgs) => eval::run,
    #[cfg(feature = "full")]
    "test" evaluates Test(test::TestArgs) => test::run,
    #[cfg(feature = "full")]
    "init" evaluates Init(init::InitArgs) => init::run,
    #[cfg(feature = "full")]
    "new" evaluates New(init::NewArgs) => init::run_new,
    #[cfg(feature = "full")]
    "fmt" evaluates Fmt(fmt::FmtArgs) => fmt::run,
    #[cfg(feature = "full")]
    "lsp" acts Lsp(lsp::LspArgs) => lsp::run,
    "facts" acts Facts(facts::FactsArgs) => facts::run,
    #[cfg(feature = "full")]
    "kinds" evaluates Kinds(kinds::KindsArgs) => kinds::run,
    #[cfg(feature = "full")]
    "types" evaluates Types(types::TypesArgs) => types::run,
    #[cfg(feature = "full")]
    "schema" evaluates Schema(schema::SchemaArgs) => schema::run,
    #[cfg(feature = "full")]
    "parse" evaluates Parse(parse::ParseArgs) => parse::run,
    #[cfg(feature = "full")]
    "explain-code" evaluates ExplainCode(explain_code::ExplainCodeArgs) => explain_code::run,
    "completions" evaluates Completions(completions::CompletionsArgs) => print_completions,
    "man" evaluates Man(man::ManArgs) => write_manual,
    "help" evaluates Help(help::HelpArgs) => print_help,
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
