//! Reads the arguments of `mod`.

use std::path::{Component, Path, PathBuf};

use ordain_ruby::Value;
use ordain_source::{Diagnostic, Span, suggest};

use crate::codes;
use crate::error::{Error, Result};
use crate::settings::check_remote;

/// A declared module.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Module {
    pub(crate) name: String,
    /// Its directory, relative to the environment.
    pub(crate) path: PathBuf,
    pub(crate) source: Declared,
    /// Whether to leave out its directory `spec`; `None` uses the setting.
    pub(crate) exclude_spec: Option<bool>,
    /// Whether it is in the module directory. Other modules keep their `spec`.
    pub(crate) is_in_moduledir: bool,
    pub(crate) span: Span,
}

impl Module {
    /// Adds the name of the module and its place to an error.
    pub(crate) fn error(&self, error: Error) -> Error {
        error.of_module(&self.name, self.span)
    }
}

/// The source of a module.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Declared {
    Git { remote: String, refs: GitRefs },
    Forge { slug: String, version: ForgeVersion },
    Tarball { address: String, sha256: Option<String> },
    Local,
}

/// The references of a module in git.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(crate) struct GitRefs {
    pub(crate) desired: Option<Reference>,
    /// Used if the desired reference does not exist.
    pub(crate) default: Option<String>,
    /// Used instead of the default one.
    pub(crate) default_override: Option<String>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Reference {
    /// The branch with the same name as the environment's.
    ControlBranch,
    Name(String),
}

/// The version of a module from the Forge.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum ForgeVersion {
    /// The deployed version, or else the latest.
    Deployed,
    Latest,
    Exact(String),
}

/// Options that every module may have.
const COMMON: [&str; 3] = ["type", "install_path", "exclude_spec"];

/// Options that name a git reference.
const REFERENCES: [&str; 5] = ["ref", "tag", "commit", "branch", "version"];

/// Reads a `mod` call.
pub(super) fn module(
    args: &[Value],
    moduledir: &Path,
    span: Span,
    warnings: &mut Vec<Diagnostic>,
) -> Result<Module> {
    let error = |text: String| Error::new(text).at(Some(span));
    let (title, given) = match args {
        [title] => (title, &Value::Nil),
        [title, given] => (title, given),
        _ => {
            let text = format!("`mod` has one or two arguments, not {}", args.len());
            return Err(error(text));
        }
    };
    let title = title.as_text().ok_or_else(|| error("the name of a module is a text".into()))?;
    let (slug, name) = parse_title(&title).ok_or_else(|| {
        error(format!("the name {title:?} of a module is neither `name` nor `owner/name`"))
    })?;
    let mut options =
        Options { entries: Vec::new(), span, name: name.clone(), warnings: Vec::new() };
    let is_hash = matches!(given, Value::Hash(_));
    for (key, value) in given.as_entries().filter(|_| is_hash).unwrap_or_default() {
        let key = key.as_name().ok_or_else(|| error("an option has a name".into()))?;
        options.entries.push((key.to_string(), value));
    }
    let install_path = options.text("install_path")?;
    let exclude_spec = options.take("exclude_spec").map(|value| value.truthy());
    let source = match is_hash {
        true => options.source(&slug)?,
        false => Declared::Forge {
            slug: slug.clone().ok_or_else(|| options.no_owner())?,
            version: options.version(given)?,
        },
    };
    warnings.extend(options.end());
    let is_in_moduledir = install_path.is_none();
    let directory = match install_path {
        Some(path) => inside(&path, span)?,
        None => moduledir.to_path_buf(),
    };
    let path = directory.join(&name);
    Ok(Module { name, path, source, exclude_spec, is_in_moduledir, span })
}

/// The full name if it has an owner, and the name without owner.
fn parse_title(title: &str) -> Option<(Option<String>, String)> {
    let is_word = |text: &str| {
        !text.is_empty() && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
    };
    match title.split_once(['/', '-']) {
        Some((owner, name)) => (is_word(owner) && is_word(name))
            .then(|| (Some(format!("{owner}-{name}")), name.to_owned())),
        None => is_word(title).then(|| (None, title.to_owned())),
    }
}

/// Normalizes a path relative to the environment. Refuses paths outside of it.
pub(super) fn inside(path: &str, span: Span) -> Result<PathBuf> {
    let mut out = PathBuf::new();
    let outside = || {
        let text = format!("the path {path:?} is outside of the environment");
        Error::new(text).at(Some(span)).help("paths are relative to the environment")
    };
    for part in Path::new(path).components() {
        match part {
            Component::CurDir => {}
            Component::Normal(name) if name == ".git" => return Err(outside()),
            Component::Normal(name) => out.push(name),
            Component::ParentDir if out.pop() => {}
            _ => return Err(outside()),
        }
    }
    Ok(out)
}

/// The options of a module that have not been read yet.
struct Options {
    entries: Vec<(String, Value)>,
    span: Span,
    name: String,
    warnings: Vec<Diagnostic>,
}

impl Options {
    fn error(&self, text: impl Into<String>) -> Error {
        Error::new(text).at(Some(self.span))
    }

    fn take(&mut self, name: &str) -> Option<Value> {
        let at = self.entries.iter().position(|(key, _)| key == name)?;
        let value = self.entries.remove(at).1;
        (!value.is_nil()).then_some(value)
    }

    fn text(&mut self, name: &str) -> Result<Option<String>> {
        let Some(value) = self.take(name) else { return Ok(None) };
        let text = value.as_name().map(String::from);
        text.map(Some).ok_or_else(|| {
            self.error(format!("the option `{name}` of the module {} is a text", self.name))
        })
    }

    fn has(&self, name: &str) -> bool {
        self.entries.iter().any(|(key, _)| key == name)
    }

    /// The source, with r10k's precedence: git, svn, local, then `type`.
    fn source(&mut self, slug: &Option<String>) -> Result<Declared> {
        let kind = self.text("type")?;
        let is_local = self.take("local").is_some_and(|value| value.truthy());
        if self.has("git") || kind.as_deref() == Some("git") {
            return self.git();
        }
        if self.has("svn") || kind.as_deref() == Some("svn") {
            let text = format!("the module {} is in Subversion, which is not supported", self.name);
            return Err(self.error(text));
        }
        if is_local || kind.as_deref() == Some("local") {
            self.take("version");
            return Ok(Declared::Local);
        }
        match kind.as_deref() {
            Some("forge") => {
                let version = self.take("version").unwrap_or(Value::Nil);
                self.take("source");
                let slug = slug.clone().ok_or_else(|| self.no_owner())?;
                Ok(Declared::Forge { slug, version: self.version(&version)? })
            }
            Some("tarball") => self.tarball(),
            Some(other) => {
                let text = format!("modules of the type `{other}` are not supported");
                Err(self.error(text).help("types are git, forge, tarball and local"))
            }
            None => {
                let text = format!("the module {} has no source", self.name);
                Err(self.error(text).help("name one with `:git`, `:local` or `:type`"))
            }
        }
    }

    fn git(&mut self) -> Result<Declared> {
        let (git, source) = (self.text("git")?, self.text("source")?);
        let Some(remote) = git.or(source) else {
            return Err(self.error(format!("the module {} has no address", self.name)));
        };
        check_remote(&remote).map_err(|error| error.at(Some(self.span)))?;
        let mut desired = None;
        let given: Vec<String> = self.entries.iter().map(|(key, _)| key.clone()).collect();
        for option in given.iter().filter(|key| REFERENCES.contains(&key.as_str())) {
            let Some(value) = self.take(option) else { continue };
            let reference = match &value {
                Value::Symbol(name) if name == "control_branch" => Reference::ControlBranch,
                value => match value.as_name().filter(|name| is_reference(name)) {
                    Some(name) => Reference::Name(name.into()),
                    None => {
                        let text = format!(
                            "the option `{option}` of the module {} is no reference of git",
                            self.name
                        );
                        return Err(self.error(text));
                    }
                },
            };
            if desired.replace(reference).is_some() {
                let text =
                    format!("the module {} has two references; `{option}` counts", self.name);
                self.warn(text, None);
            }
        }
        let default = self.reference("default_branch")?;
        let default_override = self.reference("default_branch_override")?;
        Ok(Declared::Git { remote, refs: GitRefs { desired, default, default_override } })
    }

    fn reference(&mut self, name: &str) -> Result<Option<String>> {
        let Some(text) = self.text(name)? else { return Ok(None) };
        if is_reference(&text) {
            return Ok(Some(text));
        }
        Err(self.error(format!("the option `{name}` of the module {} is wrong", self.name)))
    }

    fn tarball(&mut self) -> Result<Declared> {
        let Some(address) = self.text("source")? else {
            return Err(self.error(format!("the module {} has no `source`", self.name)));
        };
        let is_known = ordain_source::is_web(&address) || address.starts_with("file://");
        if !is_known && !address.starts_with('/') {
            let text = format!("{address:?} is no address of `http`, `https` or `file`");
            return Err(self.error(text));
        }
        let (version, checksum) = (self.text("version")?, self.text("checksum")?);
        let sha256 = version.or(checksum).map(|text| text.to_ascii_lowercase());
        let is_digest =
            |text: &String| text.len() == 64 && text.bytes().all(|b| b.is_ascii_hexdigit());
        if sha256.as_ref().is_some_and(|text| !is_digest(text)) {
            let text = format!("the version of the tarball {} is a SHA-256 digest", self.name);
            return Err(self.error(text));
        }
        Ok(Declared::Tarball { address, sha256 })
    }

    fn version(&self, value: &Value) -> Result<ForgeVersion> {
        match value {
            Value::Nil => Ok(ForgeVersion::Deployed),
            Value::Symbol(name) if name == "latest" => Ok(ForgeVersion::Latest),
            value => match value.as_text() {
                Some(text) if text == "latest" => Ok(ForgeVersion::Latest),
                Some(text) if is_version(&text) => Ok(ForgeVersion::Exact(text.into())),
                _ => {
                    let text = format!("the version of the module {} is no version", self.name);
                    let help = "it is like `1.2.3`, or `:latest`";
                    Err(self.error(text).help(help))
                }
            },
        }
    }

    fn no_owner(&self) -> Error {
        let text = format!("the module {} of the Forge has no owner", self.name);
        self.error(text).help(format!("write `owner/{}`", self.name))
    }

    fn warn(&mut self, text: String, help: Option<String>) {
        let mut warning = Diagnostic::warning(codes::DEPLOY, text).at(self.span);
        if let Some(help) = help {
            warning = warning.help(help);
        }
        self.warnings.push(warning);
    }

    /// Warns about unknown options, as r10k does.
    fn end(mut self) -> Vec<Diagnostic> {
        for (option, _) in std::mem::take(&mut self.entries) {
            let text = format!("the module {} has an unknown option `{option}`", self.name);
            let known = COMMON.iter().chain(&REFERENCES).copied();
            let known = known.chain(["git", "default_branch", "default_branch_override", "local"]);
            let near = suggest::nearest(&option, known);
            self.warn(text, near.map(|near| format!("did you mean `{near}`?")));
        }
        self.warnings
    }
}

/// Whether a text is safe to pass to git as a reference.
fn is_reference(text: &str) -> bool {
    !text.is_empty() && !text.starts_with('-') && !text.contains(['\n', '\0', ' '])
}

/// Whether a text is a semantic version.
fn is_version(text: &str) -> bool {
    let end = text.find(['-', '+']).unwrap_or(text.len());
    let (numbers, rest) = text.split_at(end);
    let is_number = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
    let is_rest = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '+' | '.');
    numbers.split('.').count() == 3
        && numbers.split('.').all(is_number)
        && rest.chars().all(is_rest)
}
