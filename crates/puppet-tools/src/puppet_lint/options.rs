//! The options of puppet-lint, from command lines and `.puppet-lint.rc`: one option on each line.

use super::checks::{CHECKS, Check};
use super::glob;

/// The findings that are printed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ErrorLevel {
    /// All.
    All,
    /// Only warnings.
    Warning,
    /// Only errors.
    Error,
}

/// All options.
#[derive(Clone, Debug)]
pub struct Options {
    enabled: Vec<bool>,
    /// Module layout is compared without the name of the module.
    pub relative: bool,
    /// Warnings fail the run.
    pub fail_on_warnings: bool,
    /// The findings that are printed.
    pub error_level: ErrorLevel,
    /// Fix the findings.
    pub fix: bool,
    /// Print JSON.
    pub json: bool,
    /// Print SARIF.
    pub sarif: bool,
    /// Print findings that comments silence.
    pub show_ignored: bool,
    /// Print the line of a finding.
    pub with_context: bool,
    /// Print the path of a finding.
    pub with_filename: bool,
    /// The format of a finding; empty for the usual one.
    pub log_format: String,
    /// Patterns of paths that are left out.
    pub ignore_paths: Vec<String>,
    /// List the checks.
    pub list_checks: bool,
    /// Print the version.
    pub version: bool,
    /// Print the help.
    pub help: bool,
    /// Files of plug-ins in Ruby, which do not run.
    pub loaded: Vec<String>,
    /// Names of checks that are unknown, if these are no errors.
    pub unknown: Vec<String>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            enabled: CHECKS.iter().map(|check| check.is_default).collect(),
            relative: false,
            fail_on_warnings: false,
            error_level: ErrorLevel::All,
            fix: false,
            json: false,
            sarif: false,
            show_ignored: false,
            with_context: false,
            with_filename: false,
            log_format: String::new(),
            ignore_paths: vec!["vendor/**/*.pp".to_owned()],
            list_checks: false,
            version: false,
            help: false,
            loaded: Vec::new(),
            unknown: Vec::new(),
        }
    }
}

/// The options without those of checks: their names, and whether they take a value.
const NAMES: [(&str, bool); 18] = [
    ("version", false),
    ("no-config", false),
    ("config", true),
    ("with-context", false),
    ("with-filename", false),
    ("fail-on-warnings", false),
    ("error-level", true),
    ("show-ignored", false),
    ("relative", false),
    ("load", true),
    ("load-from-puppet", true),
    ("fix", false),
    ("log-format", true),
    ("json", false),
    ("sarif", false),
    ("list-checks", false),
    ("only-checks", true),
    ("ignore-paths", true),
];

/// A long option.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Long {
    Named(usize),
    Help,
    Enable(usize),
    Disable(usize),
}

/// The name of a check as options have it.
fn option_name(check: &Check) -> String {
    format!("{}-check", check.name.replace('_', "-"))
}

/// All long options with their names.
fn long_options() -> Vec<(String, Long)> {
    let named = NAMES.iter().enumerate().map(|(i, (name, _))| ((*name).to_owned(), Long::Named(i)));
    let mut all: Vec<(String, Long)> = named.collect();
    all.push(("help".to_owned(), Long::Help));
    for (i, check) in CHECKS.iter().enumerate() {
        let name = option_name(check);
        all.push((format!("no-{name}"), Long::Disable(i)));
        all.push((name, Long::Enable(i)));
    }
    all
}

/// The option that a name or a beginning of it means.
fn find(all: &[(String, Long)], written: &str) -> Result<Long, String> {
    let name = written.replace('_', "-").to_lowercase();
    if let Some((_, long)) = all.iter().find(|(full, _)| *full == name) {
        return Ok(*long);
    }
    let mut near: Vec<Long> = Vec::new();
    let matching = all.iter().filter(|(full, _)| full.starts_with(&name));
    matching.for_each(|(_, long)| {
        if !near.contains(long) {
            near.push(*long);
        }
    });
    match near[..] {
        [one] => Ok(one),
        [] => Err(format!("invalid option: --{written}")),
        _ => Err(format!("ambiguous option: --{written}")),
    }
}

impl Options {
    /// Whether a check is enabled, by its index in [`CHECKS`].
    pub fn is_enabled(&self, check: usize) -> bool {
        self.enabled.get(check).copied().unwrap_or(false)
    }

    /// Enables or disables a check, by its index in [`CHECKS`].
    pub fn set_enabled(&mut self, check: usize, is_enabled: bool) {
        if let Some(enabled) = self.enabled.get_mut(check) {
            *enabled = is_enabled;
        }
    }

    /// Whether a pattern leaves a path out.
    pub fn ignores(&self, path: &str) -> bool {
        self.ignore_paths.iter().any(|pattern| glob::matches(pattern, path))
    }

    /// Reads the lines of a `.puppet-lint.rc`; other lines than options are comments. Options of
    /// unknown checks are noted in [`Options::unknown`]. Returns messages about options that are
    /// wrong, which have no effect.
    pub fn read_lines(&mut self, text: &str) -> Vec<String> {
        let mut wrong = Vec::new();
        for line in text.lines().filter(|line| line.starts_with('-')) {
            if let Err(message) = self.parse(&[line.to_owned()], &mut |_| None) {
                match unknown_check(line) {
                    Some(name) => self.unknown.push(name.to_owned()),
                    None => wrong.push(message),
                }
            }
        }
        wrong
    }

    /// Reads arguments and returns those that are no options. `read` reads the file of `--config`.
    ///
    /// # Errors
    /// The message about an option that is wrong.
    pub fn parse(
        &mut self,
        args: &[String],
        read: &mut dyn FnMut(&str) -> Option<String>,
    ) -> Result<Vec<String>, String> {
        let all = long_options();
        let (mut rest, mut args) = (Vec::new(), args.iter());
        while let Some(arg) = args.next() {
            if arg == "--" {
                rest.extend(args.cloned());
                break;
            }
            if let Some(long) = arg.strip_prefix("--") {
                let (name, value) = match long.split_once('=') {
                    Some((name, value)) => (name, Some(value.to_owned())),
                    None => (long, None),
                };
                let option = find(&all, name)?;
                let takes_value = matches!(option, Long::Named(i) if NAMES[i].1);
                let value = match (takes_value, value) {
                    (true, None) => args.next().cloned().map(Some),
                    (false, Some(_)) => return Err(format!("needless argument: {arg}")),
                    (_, value) => Some(value),
                };
                let value = value.ok_or_else(|| format!("missing argument: {arg}"))?;
                self.apply(option, &value.unwrap_or_default(), read)?;
            } else if arg.len() > 1 && arg.starts_with('-') {
                self.short(&arg[1..], &mut args, read)?;
            } else {
                rest.push(arg.clone());
            }
        }
        Ok(rest)
    }

    /// Reads an option of one letter.
    fn short(
        &mut self,
        letters: &str,
        args: &mut std::slice::Iter<'_, String>,
        read: &mut dyn FnMut(&str) -> Option<String>,
    ) -> Result<(), String> {
        let mut letters = letters.chars();
        while let Some(letter) = letters.next() {
            match letter {
                'f' => self.fix = true,
                'h' => self.help = true,
                'v' => self.version = true,
                'c' | 'l' => {
                    let rest = letters.as_str();
                    let value = match rest.is_empty() {
                        true => args.next().cloned(),
                        false => Some(rest.strip_prefix('=').unwrap_or(rest).to_owned()),
                    };
                    let value = value.ok_or_else(|| format!("missing argument: -{letter}"))?;
                    let name = if letter == 'c' { "config" } else { "load" };
                    let option = find(&long_options(), name)?;
                    return self.apply(option, &value, read);
                }
                _ => return Err(format!("invalid option: -{letter}")),
            }
        }
        Ok(())
    }

    fn apply(
        &mut self,
        option: Long,
        value: &str,
        read: &mut dyn FnMut(&str) -> Option<String>,
    ) -> Result<(), String> {
        let name = match option {
            Long::Enable(check) => {
                self.enabled[check] = true;
                return Ok(());
            }
            Long::Disable(check) => {
                self.enabled[check] = false;
                return Ok(());
            }
            Long::Help => "help",
            Long::Named(i) => NAMES[i].0,
        };
        let list = || value.split(',').map(str::to_owned).collect::<Vec<_>>();
        match name {
            "help" => self.help = true,
            "version" => self.version = true,
            "with-context" => self.with_context = true,
            "with-filename" => self.with_filename = true,
            "fail-on-warnings" => self.fail_on_warnings = true,
            "show-ignored" => self.show_ignored = true,
            "relative" => self.relative = true,
            "fix" => self.fix = true,
            "json" => self.json = true,
            "sarif" => self.sarif = true,
            "list-checks" => self.list_checks = true,
            "log-format" => value.clone_into(&mut self.log_format),
            "load" => self.loaded.push(value.to_owned()),
            "load-from-puppet" => self.loaded.extend(value.split(':').map(str::to_owned)),
            "ignore-paths" => self.ignore_paths = list(),
            "only-checks" => self.only(&list()),
            "error-level" => self.error_level = error_level(value)?,
            "config" => {
                // Each line of the file is an argument; without the file nothing is read.
                let lines = read(value).unwrap_or_default();
                let lines: Vec<String> = lines.lines().map(str::to_owned).collect();
                self.parse(&lines, &mut |_| None)?;
            }
            // `--no-config` is decided before any option is read.
            _ => {}
        }
        Ok(())
    }

    /// Enables only the checks of these names.
    pub fn only(&mut self, names: &[String]) {
        for (enabled, check) in self.enabled.iter_mut().zip(CHECKS) {
            *enabled = names.iter().any(|name| name == check.name);
        }
    }
}

fn error_level(value: &str) -> Result<ErrorLevel, String> {
    let levels =
        [("all", ErrorLevel::All), ("warning", ErrorLevel::Warning), ("error", ErrorLevel::Error)];
    let mut near = levels.iter().filter(|(name, _)| name.starts_with(&value.to_lowercase()));
    match near.next().filter(|_| !value.is_empty()) {
        Some((_, level)) => Ok(*level),
        None => Err(format!("invalid argument: --error-level {value}")),
    }
}

/// The name of the check that an option of a `.puppet-lint.rc` means.
fn unknown_check(line: &str) -> Option<&str> {
    let name = line.trim_end().strip_prefix("--")?;
    let name = name.strip_prefix("no-").unwrap_or(name).strip_suffix("-check")?;
    (!name.is_empty() && !name.contains([' ', '='])).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn index(name: &str) -> usize {
        CHECKS.iter().position(|check| check.name == name).unwrap_or(usize::MAX)
    }

    fn parsed(args: &[&str]) -> Result<(Options, Vec<String>), String> {
        let args: Vec<String> = args.iter().map(|arg| (*arg).to_owned()).collect();
        let mut options = Options::default();
        let rest = options.parse(&args, &mut |_| Some("--relative\n".to_owned()))?;
        Ok((options, rest))
    }

    #[test]
    fn command_lines_are_those_of_puppet_lint() {
        let args = ["--no-140chars-check", "a.pp", "--80chars-check", "--fail", "-c", "x", "-f"];
        let (options, rest) = parsed(&args).unwrap_or_default();
        assert_eq!(rest, ["a.pp"]);
        assert!(!options.is_enabled(index("140chars")) && options.is_enabled(index("80chars")));
        assert!(options.fail_on_warnings && options.relative && options.fix);
        let (options, _) = parsed(&["--only-checks=hard_tabs,nothing"]).unwrap_or_default();
        let enabled = (0..CHECKS.len()).filter(|i| options.is_enabled(*i));
        assert_eq!(enabled.collect::<Vec<_>>(), [index("hard_tabs")]);
    }

    #[test]
    fn wrong_options_are_refused() {
        let message = |args: &[&str]| parsed(args).err().unwrap_or_default();
        assert_eq!(message(&["--nonsense"]), "invalid option: --nonsense");
        assert_eq!(message(&["--no-1"]), "");
        assert_eq!(message(&["--no"]), "ambiguous option: --no");
        assert_eq!(message(&["--json=1"]), "needless argument: --json=1");
        assert_eq!(message(&["--config"]), "missing argument: --config");
    }

    #[test]
    fn lines_of_files_are_options() {
        let mut options = Options::default();
        let text = "# comment\n\n--no-documentation-check\n--no-mystery-check\n--relative\n";
        assert_eq!(options.read_lines(text), [""; 0]);
        assert_eq!(options.unknown, ["mystery"]);
        assert!(!options.is_enabled(index("documentation")) && options.relative);
        let text = "--ignore-paths vendor/*\n--no-hard_tabs-check\n";
        assert_eq!(options.read_lines(text), ["invalid option: --ignore-paths vendor/*"]);
        assert!(!options.is_enabled(index("hard_tabs")));
    }
}
