//! The desired environments and the sources of their files.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use ordain_functions::digest::sha256;
use ordain_process::{Launch, Limits, OrphanPolicy};
use ordain_source::{Diagnostic, SourceMap};

use crate::codes;
use crate::error::{Error, Result};
use crate::forge::Forge;
use crate::git::{Mirror, Mirrors};
use crate::name::Name;
use crate::pool;
use crate::puppetfile::{self, Declared, ForgeVersion, GitRefs, Module, Puppetfile, Reference};
use crate::revision::{DeployedModule, Record};
use crate::settings::{Settings, Source};

/// The version of the rules that turn sources into files. It is part of each revision's id: change
/// it whenever the same sources give other files.
const RULES: &str = "ordain deploy 1";

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

/// A module with its exact source.
pub(crate) struct Resolved {
    pub(crate) module: Module,
    pub(crate) source: ResolvedSource,
    pub(crate) exclude_spec: bool,
}

pub(crate) enum ResolvedSource {
    Git { mirror: Arc<Mirror>, reference: String, commit: String },
    Forge { address: String, slug: String, version: String },
    Tarball { address: String, sha256: String, is_declared: bool },
    Local,
}

/// The places that a deploy reads sources from.
pub(crate) struct Sources<'s> {
    pub(crate) settings: &'s Settings,
    pub(crate) mirrors: &'s Mirrors<'s>,
    pub(crate) forge: &'s Forge<'s>,
    pub(crate) texts: &'s SourceMap,
    /// The branch for modules whose desired branch is missing.
    pub(crate) default_branch_override: Option<&'s str>,
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
        puppetfile::evaluate(&path, &text, self.texts)
    }

    /// Fetches the mirrors whose references may have moved, in parallel. An error is reported by
    /// the modules that need the mirror.
    pub(crate) fn fetch<'d>(&self, modules: impl Iterator<Item = (&'d Branch<'d>, &'d Module)>) {
        let mut stale: BTreeMap<String, Arc<Mirror>> = BTreeMap::new();
        for (branch, module) in modules {
            let Declared::Git { remote, refs } = &module.source else { continue };
            let mirror = self.mirrors.get(remote);
            let desired = self.desired(refs, branch);
            if desired.is_none_or(|desired| !mirror.is_fixed(desired)) {
                stale.insert(remote.clone(), mirror);
            }
        }
        let mirrors: Vec<_> = stale.into_values().collect();
        // The mirror remembers its error.
        pool::each(self.settings.pool_size, mirrors, |mirror| mirror.fetch().is_ok());
    }

    fn desired<'r>(&'r self, refs: &'r GitRefs, branch: &'r Branch<'_>) -> Option<&'r str> {
        match &refs.desired {
            Some(Reference::ControlBranch) => Some(&branch.branch),
            Some(Reference::Name(name)) => Some(name),
            None => self.settings.git.default_ref.as_deref(),
        }
    }

    /// Resolves a module to its exact source.
    pub(crate) fn resolve(
        &self,
        module: &Module,
        declaration: &Declaration<'_>,
        current: Option<&Record>,
    ) -> Result<Resolved> {
        let found = match &module.source {
            Declared::Git { remote, refs } => self.resolve_git(remote, refs, declaration.branch),
            Declared::Forge { slug, version } => {
                let address = self.forge.address(declaration.puppetfile.forge.as_deref());
                let version = match version {
                    ForgeVersion::Exact(version) => Ok(version.clone()),
                    ForgeVersion::Latest => self.forge.latest(&address, slug),
                    ForgeVersion::Deployed => match deployed_version(current, module, slug) {
                        Some(version) => Ok(version),
                        None => self.forge.latest(&address, slug),
                    },
                };
                let slug = slug.clone();
                version.map(|version| ResolvedSource::Forge { address, slug, version })
            }
            Declared::Tarball { address, sha256 } => {
                let is_declared = sha256.is_some();
                let digest =
                    self.forge.tarball(address, sha256.as_deref()).map(|(_, digest)| digest);
                let address = address.clone();
                digest.map(|sha256| ResolvedSource::Tarball { address, sha256, is_declared })
            }
            Declared::Local => Ok(ResolvedSource::Local),
        };
        let source = found.map_err(|error| {
            let name = &declaration.branch.name.directory;
            Error::new(format!("{name}: the module {}: {error}", module.name)).at(Some(module.span))
        })?;
        Ok(self.resolved(module, source))
    }

    /// The source that a module has in the current revision. One that the revision lacks is resolved
    /// anew.
    pub(crate) fn resolve_deployed(
        &self,
        module: &Module,
        declaration: &Declaration<'_>,
        current: Option<&Record>,
    ) -> Result<Resolved> {
        let deployed = current
            .and_then(|record| record.modules.iter().find(|deployed| deployed.path == module.path));
        let source = match (&module.source, deployed) {
            (Declared::Git { remote, .. }, Some(deployed)) if deployed.kind == "git" => {
                let (mirror, reference) = (self.mirrors.get(remote), deployed.version.clone());
                ResolvedSource::Git { mirror, reference, commit: deployed.digest.clone() }
            }
            (Declared::Forge { slug, .. }, Some(deployed)) if deployed.kind == "forge" => {
                let address = self.forge.address(declaration.puppetfile.forge.as_deref());
                let (slug, version) = (slug.clone(), deployed.version.clone());
                ResolvedSource::Forge { address, slug, version }
            }
            (Declared::Tarball { address, sha256 }, Some(deployed))
                if deployed.kind == "tarball" =>
            {
                let (address, is_declared) = (address.clone(), sha256.is_some());
                let sha256 = deployed.digest.clone();
                ResolvedSource::Tarball { address, sha256, is_declared }
            }
            (Declared::Local, _) => ResolvedSource::Local,
            _ => return self.resolve(module, declaration, current),
        };
        Ok(self.resolved(module, source))
    }

    fn resolved(&self, module: &Module, source: ResolvedSource) -> Resolved {
        let exclude_spec = module.exclude_spec.unwrap_or(self.settings.exclude_spec);
        let exclude_spec = exclude_spec && module.is_in_moduledir;
        Resolved { module: module.clone(), source, exclude_spec }
    }

    fn resolve_git(
        &self,
        remote: &str,
        refs: &GitRefs,
        branch: &Branch<'_>,
    ) -> Result<ResolvedSource> {
        let mirror = self.mirrors.get(remote);
        let desired = self.desired(refs, branch);
        let given = [
            desired,
            refs.default_override.as_deref().or(self.default_branch_override),
            refs.default.as_deref(),
        ];
        if given.iter().all(Option::is_none) {
            let help = "name one with `:ref`, or set `git: default_ref` in r10k.yaml";
            return Err(Error::new("it has no reference, such as a branch").help(help));
        }
        if !desired.is_some_and(|desired| mirror.is_fixed(desired)) {
            mirror.fetch()?;
        }
        for reference in given.into_iter().flatten() {
            if let Some(commit) = mirror.commit(reference) {
                let reference = reference.to_owned();
                return Ok(ResolvedSource::Git { mirror, reference, commit });
            }
        }
        let names: Vec<_> = given.into_iter().flatten().map(|name| format!("`{name}`")).collect();
        Err(Error::new(format!("{} has no {}", mirror.shown(), names.join(" and no "))))
    }
}

/// The Forge version of a module in the current revision.
fn deployed_version(current: Option<&Record>, module: &Module, slug: &str) -> Option<String> {
    let modules = current?.modules.iter();
    let mut same =
        modules.filter(|m| m.path == module.path && m.kind == "forge" && m.source == slug);
    same.next().map(|module| module.version.clone())
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

impl Resolved {
    /// The module as it appears in a record.
    pub(crate) fn deployed(&self) -> DeployedModule {
        let (kind, source, version, digest) = match &self.source {
            ResolvedSource::Git { mirror, reference, commit } => {
                ("git", mirror.shown(), reference.clone(), commit.clone())
            }
            ResolvedSource::Forge { slug, version, .. } => {
                ("forge", slug.clone(), version.clone(), String::new())
            }
            ResolvedSource::Tarball { address, sha256, .. } => (
                "tarball",
                ordain_source::without_passwords(address).into_owned(),
                String::new(),
                sha256.clone(),
            ),
            ResolvedSource::Local => ("local", String::new(), String::new(), String::new()),
        };
        let (name, path) = (self.module.name.clone(), self.module.path.clone());
        DeployedModule { name, path, kind: kind.to_owned(), source, version, digest }
    }

    /// The text that a revision's id is computed from. It covers everything that determines the
    /// files.
    fn fingerprint(&self) -> String {
        let path = self.module.path.display();
        let source = match &self.source {
            ResolvedSource::Git { commit, .. } => format!("git {commit}"),
            ResolvedSource::Forge { address, slug, version } => {
                format!("forge {address} {slug} {version}")
            }
            ResolvedSource::Tarball { sha256, .. } => format!("tarball {sha256}"),
            ResolvedSource::Local => "local".to_owned(),
        };
        format!("{path}\0{source}\0{}\n", self.exclude_spec)
    }
}

/// The id of a revision.
pub(crate) fn id(commit: &str, modules: &[Resolved]) -> String {
    let mut lines: Vec<String> = modules.iter().map(Resolved::fingerprint).collect();
    lines.sort();
    let text = format!("{RULES}\n{commit}\n{}", lines.concat());
    sha256(text.as_bytes())[..ID_LENGTH].to_owned()
}
