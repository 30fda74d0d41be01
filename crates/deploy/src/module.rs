//! The exact sources of modules, and their files.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::Arc;

use ordain_source::Diagnostic;

use crate::archive;
use crate::codes;
use crate::error::{AtPath, Error, Result};
use crate::files;
use crate::git::Mirror;
use crate::pool;
use crate::puppetfile::{Declared, ForgeVersion, GitRefs, Module, Reference};
use crate::revision::DeployedModule;
use crate::sources::Sources;

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

/// The settings that all modules of a Puppetfile share when they are resolved.
#[derive(Clone, Copy)]
pub(crate) struct Context<'c> {
    /// The branch of the control repository.
    pub(crate) control_branch: Option<&'c str>,
    /// The Forge that the Puppetfile names.
    pub(crate) forge: Option<&'c str>,
}

impl Sources<'_> {
    /// Fetches the mirrors whose references may have moved, in parallel. The second value of a pair is
    /// the branch of the control repository. An error is reported by the modules that need the
    /// mirror.
    pub(crate) fn fetch<'d>(&self, modules: impl Iterator<Item = (&'d Module, Option<&'d str>)>) {
        let mut stale: BTreeMap<String, Arc<Mirror>> = BTreeMap::new();
        for (module, control_branch) in modules {
            let Declared::Git { remote, refs } = &module.source else { continue };
            let mirror = self.mirrors.get(remote);
            let desired = self.desired(refs, control_branch);
            if desired.is_none_or(|desired| !mirror.is_fixed(desired)) {
                stale.insert(remote.clone(), mirror);
            }
        }
        let mirrors: Vec<_> = stale.into_values().collect();
        // The mirror remembers its error.
        pool::each(self.settings.pool_size, mirrors, |mirror| mirror.fetch().is_ok());
    }

    fn desired<'r>(
        &'r self,
        refs: &'r GitRefs,
        control_branch: Option<&'r str>,
    ) -> Option<&'r str> {
        match &refs.desired {
            Some(Reference::ControlBranch) => control_branch,
            Some(Reference::Name(name)) => Some(name),
            None => self.settings.git.default_ref.as_deref(),
        }
    }

    /// Resolves a module to its exact source. `deployed` is the source of the module that is there.
    pub(crate) fn resolve(
        &self,
        module: &Module,
        context: Context<'_>,
        deployed: Option<&DeployedModule>,
    ) -> Result<Resolved> {
        let found = match &module.source {
            Declared::Git { remote, refs } => {
                self.resolve_git(remote, refs, context.control_branch)
            }
            Declared::Forge { slug, version } => {
                let address = self.forge.address(context.forge);
                let deployed = deployed.filter(|m| m.kind == "forge" && m.source == *slug);
                let version = match (version, deployed) {
                    (ForgeVersion::Exact(version), _) => Ok(version.clone()),
                    (ForgeVersion::Deployed, Some(deployed)) => Ok(deployed.version.clone()),
                    _ => self.forge.latest(&address, slug),
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
        let source = found.map_err(|error| module.error(error))?;
        Ok(self.resolved(module, source))
    }

    /// The source that a module has in the current revision. One that the revision lacks is resolved
    /// anew.
    pub(crate) fn resolve_deployed(
        &self,
        module: &Module,
        context: Context<'_>,
        deployed: Option<&DeployedModule>,
    ) -> Result<Resolved> {
        let source = match (&module.source, deployed) {
            (Declared::Git { remote, .. }, Some(deployed)) if deployed.kind == "git" => {
                let (mirror, reference) = (self.mirrors.get(remote), deployed.version.clone());
                ResolvedSource::Git { mirror, reference, commit: deployed.digest.clone() }
            }
            (Declared::Forge { slug, .. }, Some(deployed)) if deployed.kind == "forge" => {
                let address = self.forge.address(context.forge);
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
            _ => return self.resolve(module, context, deployed),
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
        control_branch: Option<&str>,
    ) -> Result<ResolvedSource> {
        let mirror = self.mirrors.get(remote);
        let desired = self.desired(refs, control_branch);
        let given = [
            desired,
            refs.default_override.as_deref().or(self.default_branch_override),
            refs.default.as_deref(),
        ];
        if given.iter().all(Option::is_none) {
            if refs.desired == Some(Reference::ControlBranch) {
                let text = "the control repository has no branch checked out";
                return Err(Error::new(text).help("check one out, or add a `:default_branch`"));
            }
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
    pub(crate) fn fingerprint(&self) -> String {
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

    /// Writes the files to an empty directory, and returns warnings. `temporary` is a free path for
    /// temporary files, on the same file system.
    pub(crate) fn write(
        &self,
        sources: &Sources<'_>,
        target: &Path,
        temporary: &Path,
    ) -> Result<Vec<Diagnostic>> {
        let skipped = self.write_files(sources, target, temporary);
        let skipped = skipped.map_err(|error| self.module.error(error))?;
        let warning = |path: String| {
            let text = format!("{path} of the module {} is left out", self.module.name);
            Diagnostic::warning(codes::DEPLOY, text).at(self.module.span)
        };
        Ok(skipped.into_iter().map(warning).collect())
    }

    /// Writes the files, and returns the paths that are left out.
    fn write_files(
        &self,
        sources: &Sources<'_>,
        target: &Path,
        temporary: &Path,
    ) -> Result<Vec<String>> {
        let mut skipped = Vec::new();
        match &self.source {
            ResolvedSource::Git { mirror, commit, .. } => {
                mirror.write(commit, target, temporary)?;
            }
            ResolvedSource::Forge { address, slug, version } => {
                let tarball = sources.forge.release(address, slug, version)?;
                fs::create_dir(temporary).at_path(temporary)?;
                skipped = archive::unpack(&tarball, temporary)?;
                let root = archive::module_root(temporary)?;
                fs::rename(&root, target).at_path(&self.module.path)?;
            }
            ResolvedSource::Tarball { address, sha256, .. } => {
                let (tarball, _) = sources.forge.tarball(address, Some(sha256))?;
                skipped = archive::unpack(&tarball, target)?;
            }
            ResolvedSource::Local => {}
        }
        let spec = target.join("spec");
        if self.exclude_spec && fs::symlink_metadata(&spec).is_ok_and(|m| m.is_dir()) {
            files::remove(&spec)?;
        }
        Ok(skipped)
    }
}
