//! Reads `r10k.yaml`.

use std::path::{Path, PathBuf};

use ordain_source::{Diagnostic, SourceMap};
use regex::Regex;

use super::document::{Document, Item, Section};
use super::model::{
    Access, ForgeSettings, GitSettings, Purge, Settings, Source, absolute, check_remote,
};
use crate::error::{Error, Result};
use crate::name::{InvalidBranches, Naming, Strip};

/// Ordain's directory in r10k's cache. r10k names its mirrors differently.
const CACHE: &str = "ordain";

/// The largest number of threads.
const MAX_POOL: usize = 64;

type Warnings = Vec<Diagnostic>;

/// Reads a file. Without `needs_sources` the sources may be missing.
pub(super) fn read(
    path: &Path,
    needs_sources: bool,
    texts: &SourceMap,
) -> Result<(Settings, Warnings)> {
    let document = Document::read(path, texts)?;
    let mut root = document.root()?;
    let mut warnings = Vec::new();
    let sources = match root.take("sources") {
        Some(sources) => read_sources(sources, &mut warnings)?,
        None if needs_sources => {
            let text = format!("{} names no sources", path.display());
            return Err(Error::new(text).help("it has a map `sources` with `remote` and `basedir`"));
        }
        None => Vec::new(),
    };
    let mut settings = Settings { purges_foreign: true, ..Settings::with_sources(sources) };
    if let Some(cache) = root.text("cachedir")? {
        settings.cache = absolute(Path::new(&cache))?.join(CACHE);
    }
    settings.proxy = root.text("proxy")?;
    if let Some(item) = root.take("postrun") {
        settings.postrun = item.texts("postrun")?;
    }
    if let Some(item) = root.take("pool_size") {
        let wrong = || item.error("`pool_size` is a number of threads, from 1 to 64");
        let size: usize = item.text("pool_size")?.parse().map_err(|_| wrong())?;
        settings.pool_size = if (1..=MAX_POOL).contains(&size) { Ok(size) } else { Err(wrong()) }?;
    }
    if let Some(section) = root.section("git")? {
        settings.git = read_git(section, settings.proxy.as_deref(), &mut warnings)?;
    } else {
        settings.git.access.proxy.clone_from(&settings.proxy);
    }
    settings.forge.proxy.clone_from(&settings.proxy);
    if let Some(section) = root.section("forge")? {
        read_forge(section, &mut settings.forge, &mut warnings)?;
    }
    if let Some(section) = root.section("deploy")? {
        read_deploy(section, &mut settings, &mut warnings)?;
    }
    root.unused("purgedirs", "r10k ignores it, too", &mut warnings);
    root.unused("logging", "messages go to standard error", &mut warnings);
    root.end(&mut warnings);
    Ok((settings, warnings))
}

fn read_sources(item: Item<'_>, warnings: &mut Warnings) -> Result<Vec<Source>> {
    let mut sources = Vec::new();
    for (name, item) in item.section("sources")?.into_items() {
        sources.push(read_source(&name, item, warnings)?);
    }
    if sources.is_empty() {
        return Err(item.error("`sources` has no source"));
    }
    Ok(sources)
}

fn read_source(name: &str, item: Item<'_>, warnings: &mut Warnings) -> Result<Source> {
    let mut section = item.section(name)?;
    if let Some(kind) = section.take("type")
        && kind.text("type")? != "git"
    {
        let text = format!("sources of the type `{}` are not supported", kind.text("type")?);
        return Err(kind.error(text).help("the source has to be a git repository"));
    }
    let missing = |setting: &str| item.error(format!("the source `{name}` has no `{setting}`"));
    let remote_item = section.take("remote").ok_or_else(|| missing("remote"))?;
    let remote = remote_item.text("remote")?;
    check_remote(&remote).map_err(|error| error.at(Some(remote_item.span())))?;
    let basedir = section.text("basedir")?.ok_or_else(|| missing("basedir"))?;
    let prefix = match section.take("prefix") {
        None => None,
        Some(item) => match item.truth() {
            Some(true) => Some(name.to_owned()),
            Some(false) => None,
            None => Some(item.text("prefix")?),
        },
    };
    let strip = section.take("strip_component").map(read_strip).transpose()?.flatten();
    let invalid = match section.take("invalid_branches") {
        None => InvalidBranches::CorrectAndWarn,
        Some(item) => match item.text("invalid_branches")?.as_str() {
            "correct_and_warn" => InvalidBranches::CorrectAndWarn,
            "correct" => InvalidBranches::Correct,
            "error" => InvalidBranches::Leave,
            _ => {
                let text = "`invalid_branches` is correct_and_warn, correct or error";
                return Err(item.error(text));
            }
        },
    };
    if let Some(prefix) = prefix.as_deref().filter(|prefix| !is_file_name(prefix)) {
        return Err(item.error(format!("the prefix {prefix:?} cannot be part of a file name")));
    }
    let ignored = section.take("ignore_branch_prefixes");
    let ignored = ignored.map(|item| item.texts("ignore_branch_prefixes")).transpose()?;
    let puppetfile = section.text("puppetfile_name")?;
    let source = Source {
        name: name.to_owned(),
        remote,
        basedir: absolute(Path::new(&basedir))?,
        naming: Naming { prefix, strip, invalid },
        ignored_prefixes: ignored.unwrap_or_default(),
        filter_command: section.text("filter_command")?.filter(|command| !command.is_empty()),
        puppetfile: puppetfile.unwrap_or_else(|| "Puppetfile".to_owned()),
        span: Some(item.span()),
    };
    section.end(warnings);
    Ok(source)
}

fn is_file_name(text: &str) -> bool {
    !text.is_empty() && !text.starts_with('.') && !text.contains(['/', '\0'])
}

fn read_strip(item: Item<'_>) -> Result<Option<Strip>> {
    match item.truth() {
        Some(false) => return Ok(None),
        Some(true) => {
            return Err(item.error("`strip_component` is a text, a /regex/ or false"));
        }
        None => {}
    }
    let text = item.text("strip_component")?;
    let inner = text.strip_prefix('/').and_then(|rest| rest.strip_suffix('/'));
    let Some(inner) = inner else { return Ok(Some(Strip::Start(text))) };
    let regex = Regex::new(inner).map_err(|error| item.error(error.to_string()))?;
    Ok(Some(Strip::Matches(regex)))
}

fn read_access(
    section: &mut Section<'_>,
    default: &Access,
    warnings: &mut Warnings,
) -> Result<Access> {
    let path = |text: Option<String>| text.map(PathBuf::from);
    let private_key = path(section.text("private_key")?).or(default.private_key.clone());
    let oauth_token = path(section.text("oauth_token")?).or(default.oauth_token.clone());
    let proxy = section.text("proxy")?.or(default.proxy.clone());
    for name in ["github_app_id", "github_app_key", "github_app_ttl"] {
        if let Some(item) = section.take(name) {
            let error = item.error("tokens of GitHub apps are not supported");
            return Err(error.help("`oauth_token` names a file with a token"));
        }
    }
    section.unused("username", "the address of a repository has the user", warnings);
    Ok(Access { private_key, oauth_token, proxy })
}

fn read_git(
    mut section: Section<'_>,
    proxy: Option<&str>,
    warnings: &mut Warnings,
) -> Result<GitSettings> {
    // git itself does everything that r10k's providers do.
    section.take("provider");
    let default_ref = section.text("default_ref")?;
    let default = Access { proxy: proxy.map(str::to_owned), ..Access::default() };
    let access = read_access(&mut section, &default, warnings)?;
    let mut repositories = Vec::new();
    if let Some(list) = section.take("repositories") {
        for item in list.items("repositories")? {
            let mut one = item.section("repositories")?;
            let missing = || item.error("a repository has a `remote`");
            let remote = one.text("remote")?.ok_or_else(missing)?;
            repositories.push((remote, read_access(&mut one, &access, warnings)?));
            one.end(warnings);
        }
    }
    section.end(warnings);
    Ok(GitSettings { default_ref, access, repositories })
}

fn read_forge(
    mut section: Section<'_>,
    forge: &mut ForgeSettings,
    warnings: &mut Warnings,
) -> Result<()> {
    if let Some(item) = section.take("baseurl") {
        let address = item.text("baseurl")?;
        if !ordain_source::is_web(&address) {
            return Err(item.error("`baseurl` is an address of `http` or `https`"));
        }
        forge.address = address.trim_end_matches('/').to_owned();
    }
    forge.authorization = section.text("authorization_token")?;
    forge.proxy = section.text("proxy")?.or(forge.proxy.take());
    forge.allow_override = section.boolean("allow_puppetfile_override")?.unwrap_or(false);
    section.end(warnings);
    Ok(())
}

fn read_deploy(
    mut section: Section<'_>,
    settings: &mut Settings,
    warnings: &mut Warnings,
) -> Result<()> {
    settings.write_lock = section.text("write_lock")?;
    settings.exclude_spec = section.boolean("exclude_spec")?.unwrap_or(true);
    if let Some(item) = section.take("purge_levels") {
        settings.purge = read_levels(item)?;
    }
    let allowed = section.take("purge_allowlist").map(|item| item.texts("purge_allowlist"));
    let older = section.take("purge_whitelist").map(|item| item.texts("purge_whitelist"));
    settings.purge.allowed = allowed.or(older).transpose()?.unwrap_or_default();
    let reason = "Ordain compiles without generated types";
    for name in ["generate_types", "puppet_path", "puppet_conf"] {
        section.unused(name, reason, warnings);
    }
    section.end(warnings);
    Ok(())
}

fn read_levels(item: Item<'_>) -> Result<Purge> {
    let name = "purge_levels";
    let levels = match item.items(name) {
        Ok(items) => items,
        // A single level may be written without a list.
        Err(_) => vec![item],
    };
    let mut purge =
        Purge { deployment: false, environment: false, puppetfile: false, allowed: Vec::new() };
    for level in levels {
        match level.text(name)?.as_str() {
            "deployment" => purge.deployment = true,
            "environment" => purge.environment = true,
            "puppetfile" => purge.puppetfile = true,
            _ => {
                let text = "a level of `purge_levels` is deployment, environment or puppetfile";
                return Err(level.error(text));
            }
        }
    }
    Ok(purge)
}
