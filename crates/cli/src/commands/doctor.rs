//! `ordain doctor`: checks the state directory, and the programs that Ordain needs.

use std::io::Write;
use std::path::{Path, PathBuf};

use clap::Args;
use ordain_store::{Condition, Finding, Remedy, StateCheck};
use serde_json::{Value as Json, json};

use crate::exit::{Exit, Failure};
use crate::options::TextOrJson;
use crate::runs::state_dir;
use crate::ui::{Ui, styles};

/// Check the state directory and the programs that Ordain needs
///
/// It checks the owner and mode of the state directory, the lock and its holder, the journal, runs
/// that did not finish, backups for `rollback`, the key of saved plans, leftovers of killed
/// processes, and the programs that kinds of resources call.
/// The exit code is 1 when a problem remains.
#[derive(Args)]
#[command(after_help = "\
Examples:
  ordain doctor
  ordain doctor --fix
  ordain doctor --format json --state-dir /srv/state")]
pub(crate) struct DoctorArgs {
    /// Fix problems: modes, damaged journals and keys, leftovers
    #[arg(long)]
    fix: bool,
    /// The output format
    #[arg(long, value_name = "FORM", default_value = "text")]
    format: TextOrJson,
    /// The directory of the lock and the journal of runs
    #[arg(long, value_name = "DIR", env = "ORDAIN_STATE_DIR")]
    state_dir: Option<PathBuf>,
}

/// A finding, and the result of fixing it.
struct CheckResult {
    finding: Finding,
    repaired: Option<Result<String, String>>,
}

impl CheckResult {
    /// Whether the finding is a problem that is not fixed.
    fn is_wrong(&self) -> bool {
        self.finding.condition == Condition::Bad && !matches!(self.repaired, Some(Ok(_)))
    }
}

/// Checks, fixes problems with `--fix`, and prints the findings.
///
/// # Errors
/// When there is no place for a state directory.
pub(super) fn run(ui: &mut Ui, args: &DoctorArgs) -> Result<Exit, Failure> {
    let survey = StateCheck::of(&state_dir(args.state_dir.as_deref())?);
    let repair = |remedy: &Remedy| survey.repair(remedy).map_err(|error| error.to_string());
    let check = |finding: &Finding| CheckResult {
        repaired: finding.remedy.as_ref().filter(|_| args.fix).map(repair),
        finding: finding.clone(),
    };
    let mut all: Vec<CheckResult> = survey.findings.iter().map(check).collect();
    let programs = programs().into_iter();
    all.extend(programs.map(|finding| CheckResult { finding, repaired: None }));
    let wrong = all.iter().filter(|result| result.is_wrong()).count();
    match args.format {
        TextOrJson::Text => text(ui, &all, args.fix)?,
        TextOrJson::Json => {
            let findings: Json = all.iter().map(finding_json).collect();
            let out = json!({
                "format": "ordain-doctor", "version": 1, "ok": wrong == 0, "findings": findings,
            });
            writeln!(ui.out(), "{out}")?;
        }
    }
    Ok(if wrong == 0 { Exit::Done } else { Exit::Failed })
}

/// The column of the text, after the condition and the subject.
const INDENT: usize = 17;

fn text(ui: &mut Ui, all: &[CheckResult], fix: bool) -> Result<(), Failure> {
    for CheckResult { finding, repaired } in all {
        let (word, style) = match finding.condition {
            Condition::Good => ("ok", styles::ADD),
            Condition::Remark => ("note", styles::CHANGE),
            Condition::Bad => ("bad", styles::REMOVE),
        };
        let word = ui.styled(style, &format!("{word:<4}"));
        let head = format!("{word}  {:<11}", finding.about);
        lines(ui, &head, &finding.text)?;
        let below = " ".repeat(INDENT);
        match (repaired, &finding.remedy) {
            (Some(Ok(done)), _) => lines(ui, &below, &format!("fixed: {done}"))?,
            (Some(Err(why)), _) => lines(ui, &below, &format!("not fixed: {why}"))?,
            (None, Some(remedy)) => lines(ui, &below, &format!("--fix: {remedy}"))?,
            (None, None) => {}
        }
    }
    let open = all.iter().filter(|e| e.finding.remedy.is_some()).count();
    if open > 0 && !fix {
        writeln!(ui.out(), "`ordain doctor --fix` mends the findings with a line --fix.")?;
    }
    Ok(())
}

/// Prints a text wrapped at 80 columns, after a head of [`INDENT`] columns. Longer words stay
/// whole, so that they can be copied.
fn lines(ui: &mut Ui, head: &str, text: &str) -> Result<(), Failure> {
    let mut line = head.to_string();
    let mut column = INDENT;
    for word in text.split_whitespace() {
        let width = word.chars().count();
        if column > INDENT && column + 1 + width > 80 {
            writeln!(ui.out(), "{line}")?;
            (line, column) = (" ".repeat(INDENT), INDENT);
        } else if column > INDENT {
            line.push(' ');
            column += 1;
        }
        line.push_str(word);
        column += width;
    }
    Ok(writeln!(ui.out(), "{line}")?)
}

fn finding_json(result: &CheckResult) -> Json {
    let CheckResult { finding, repaired } = result;
    let condition = match finding.condition {
        Condition::Good => "ok",
        Condition::Remark => "note",
        Condition::Bad => "bad",
    };
    json!({
        "about": finding.about, "condition": condition, "text": finding.text,
        "fix": finding.remedy.as_ref().map(ToString::to_string),
        "mended": repaired.as_ref().map(Result::is_ok),
        "outcome": repaired.as_ref().map(|repaired| repaired.as_ref().unwrap_or_else(|why| why)),
    })
}

/// The programs that kinds of resources call, by purpose; one of each group is enough.
const PROGRAMS: &[(&str, &[&str])] = &[
    ("packages", &["apt-get", "dnf", "yum", "zypper", "apk", "pacman"]),
    ("services", &["systemctl", "service"]),
    ("users", &["useradd"]),
    ("users", &["usermod"]),
    ("groups", &["groupadd"]),
    ("cron", &["crontab"]),
    ("mounts", &["mount"]),
];

/// Checks the interpreters and programs that compiles and kinds call.
fn programs() -> Vec<Finding> {
    let finding = |about, condition, text| Finding { about, condition, text, remedy: None };
    let mut out = Vec::new();
    let interpreters = [
        ("ruby", "ORDAIN_RUBY", "Ruby code of modules"),
        ("python3", "ORDAIN_PYTHON", "Python code of Inmanta modules"),
    ];
    for (name, variable, what) in interpreters {
        let own = std::env::var_os(variable).filter(|own| !own.is_empty()).map(PathBuf::from);
        let elsewhere = Path::new("/opt/puppetlabs/puppet/bin").join(name);
        let found =
            own.or_else(|| find_on_path(name)).or(Some(elsewhere).filter(|path| is_program(path)));
        out.push(match found {
            Some(path) if is_program(&path) || path.components().count() == 1 => {
                finding(name, Condition::Good, path.display().to_string())
            }
            Some(path) => {
                let text = format!("{variable} names {}, which is not a program", path.display());
                finding(name, Condition::Bad, text)
            }
            None => finding(name, Condition::Remark, format!("not found; {what} cannot be run")),
        });
    }
    for &(about, names) in PROGRAMS {
        let found: Vec<String> = names
            .iter()
            .filter_map(|name| find_on_path(name))
            .map(|p| p.display().to_string())
            .collect();
        out.push(match found.is_empty() {
            false => finding(about, Condition::Good, found.join(" ")),
            true => {
                finding(about, Condition::Remark, format!("no {} on the PATH", names.join(", ")))
            }
        });
    }
    out
}

/// Finds a program on the PATH.
fn find_on_path(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|dir| dir.join(name)).find(|path| is_program(path))
}

fn is_program(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    path.metadata().is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0)
}
