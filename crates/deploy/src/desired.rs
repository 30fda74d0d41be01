//! The desired environments and the sources of their files.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use ordain_functions::digest::sha256;
use ordain_process::{Launch, Limits, OrphanPolicy};
use ordain_source::Diagnostic;

use crate::codes;
use crate::error::{Error, Result};
use crate::git::Mirror;
use crate::module::{Context, Resolved};
use crate::name::Name;
use crate::pool;
use crate::puppetfile::{self, Puppetfile};
use crate::settings::Source;
use crate::sources::Sources;

/// The version of the rules that turn sources into files. It is part of each revision's id: change
/// it whenever the same sources give other files.
const RULES: &str = "ordain deploy 2";

/// The number of hexadecimal digits in an id.
const ID_LENGTH: usize = 32;

/// The time limit of a branch filter command.
const FILTER_TIME: Duration = Duration::from_secs(60);

/// A branch to deploy as an environment.
pub(crate) struct Branch<'s> {
    pub(crate) source: &'s Source,
    pub(crate) mirror: Arc<Mirror>,
    pub(crate) name: Name,
    pub(crate) branch: String,
    pub(crate) commit: String,
}

/// A branch with its Puppetfile.
pub(crate) struct Declaration<'b> {
    pub(crate) branch: &'b Branch<'b>,
    pub(crate) puppetfile: Puppetfile,
}

impl Declaration<'_> {
    /// The context in which its modules are resolved.
    pub(crate) fn context(&self) -> Context<'_> {
        let control_branch = Some(self.branch.branch.as_str());
        Context { control_branch, forge: self.puppetfile.forge.as_deref() }
    }
}

impl<'s> Sources<'s> {
    /// The branches of all sources. Fetches the control repositories first.
    ///
    /// # Errors
    /// When a source cannot be read completely, or two branches map to the same environment.
    pub(crate) fn branches(&self, warnings: &mut Vec<Diagnostic>) -> Result<Vec<Branch<'s>>> {
        let sources: Vec<&Source> = self.settings.sources.iter().collect();
        let fetched = pool::each(self.settings.pool_size, sources, |source| {
            let mirror = self.mirrors.get(&source.remote);
            let failed = |error: Error| {
                Error::new(format!("the source {}: {error}", source.name)).at(source.span)
            };
            mirror.fetch().map_err(failed)?;
            let branches = mirror.branches().map_err(failed)?;
            Ok::<_, Error>((source, mirror, branches))
        });
        let mut all: Vec<Branch<'s>> = Vec::new();
        for result in fetched {
            let (source, mirror, branches) = result?;
            for (branch, commit) in branches {
                let Some(name) = self.name(source, &mirror, &branch, warnings)? else { continue };
                let mirror = Arc::clone(&mirror);
                all.push(Branch { source, mirror, name, branch, commit });
            }
        }
        let mut seen: BTreeMap<PathBuf, &Branch<'_>> = BTreeMap::new();
        for branch in &all {
            let path = branch.source.basedir.join(&branch.name.directory);
            if let Some(other) = seen.insert(path, branch) {
                let text = format!(
                    "the environment {} is both the branch {} of {} and the branch {} of {}",
                    branch.name.directory,
                    other.branch,
                    other.source.name,
                    branch.branch,
                    branch.source.name
                );
                let help = "give one of the sources a `prefix`, or rename a branch";
                return Err(Error::new(text).at(branch.source.span).help(help));
            }
        }
        Ok(all)
    }

    /// The environment name of a branch; `None` if the branch is not deployed.
    fn name(
        &self,
        source: &Source,
        mirror: &Mirror,
        branch: &str,
        warnings: &mut Vec<Diagnostic>,
    ) -> Result<Option<Name>> {
        let mut warn = |text: String| {
            warnings.push(Diagnostic::warning(codes::DEPLOY, text));
        };
        if source.ignored_prefixes.iter().any(|prefix| branch.starts_with(prefix)) {
            return Ok(None);
        }
        if let Some(command) = &source.filter_command
            && !passes(command, mirror, branch, &source.name)?
        {
            return Ok(None);
        }
        let Some(name) = source.naming.name(branch) else {
            warn(format!(
                "the branch {branch} is left out: its name is not that of an environment"
            ));
            return Ok(None);
        };
        if name.plain.is_empty() {
            warn(format!("the branch {branch} is left out: nothing of its name is left"));
            return Ok(None);
        }
        if name.is_corrected
            && source.naming.invalid == crate::name::InvalidBranches::CorrectAndWarn
        {
            warn(format!("the branch {branch} becomes the environment {}", name.directory));
        }
        Ok(Some(name))
    }

    /// Evaluates the Puppetfile of a branch.
    pub(crate) fn declaration<'b>(&self, branch: &'b Branch<'b>) -> Result<Declaration<'b>> {
        let puppetfile = self.puppetfile(branch, &branch.commit)?;
        Ok(Declaration { branch, puppetfile })
    }

    /// Evaluates the Puppetfile of a commit of a branch.
    pub(crate) fn puppetfile(&self, branch: &Branch<'_>, commit: &str) -> Result<Puppetfile> {
        let name = &branch.source.puppetfile;
        let Some(text) = branch.mirror.file(commit, name)? else {
            return Ok(Puppetfile::default());
        };
        let path = branch.source.basedir.join(&branch.name.directory).join(name);
        let text = String::from_utf8(text).map_err(|_| Error::path(&path, &"it is not UTF-8"))?;
        puppetfile::evaluate(&path, &text, Path::new(puppetfile::MODULEDIR), self.texts)
    }
}

/// Whether a filter command accepts a branch. The command is from the administrator's settings and
/// runs in a shell, as in r10k.
fn passes(command: &str, mirror: &Mirror, branch: &str, source: &str) -> Result<bool> {
    let set = |name: &str, value: OsString| (OsString::from(name), value);
    let launch = Launch {
        argv: ["/bin/sh", "-c", command].map(Into::into).to_vec(),
        set_env: vec![
            set("GIT_DIR", mirror.directory().into()),
            set("R10K_BRANCH", branch.into()),
            set("R10K_NAME", source.into()),
        ],
        orphans: OrphanPolicy::End,
        ..Launch::default()
    };
    let limits = Limits { time: Some(FILTER_TIME), output: 1 << 20 };
    let output = ordain_process::run(&launch, b"", true, limits);
    let output = output.map_err(|error| Error::new(format!("`filter_command`: {error}")))?;
    Ok(output.status.success())
}

/// The id of a revision.
pub(crate) fn id(commit: &str, modules: &[Resolved]) -> String {
    let mut lines: Vec<String> = modules.iter().map(Resolved::fingerprint).collect();
    lines.sort();
    let text = format!("{RULES}\n{commit}\n{}", lines.concat());
    sha256(text.as_bytes())[..ID_LENGTH].to_owned()
}
