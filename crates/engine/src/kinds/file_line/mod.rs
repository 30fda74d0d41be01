//! `file_line`: a line that a file has, or has not.

mod edit;
mod text;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use ordain_data::Value;
use ordain_functions::regex::{Dialect, Regex, compile};
use ordain_graph::{Resource, ResourceRef};
use ordain_kinds::{KindSchema, modules};

use crate::kind::differences::Differences;
use crate::kind::params::Params;
use crate::kind::{Change, Instance, Kind, KindError, ParseContext, ParseResult};
use crate::system::file_cache::{Cached, read_bytes};
use crate::system::host::Host;
use crate::system::watch::Watch;
use crate::system::write::{Owner, editing, rewrite};
use edit::Edit;
use text::{Encoding, Text};

/// Files of up to this size are kept until they change: several lines of one file are common.
const MAX_CACHED: u64 = 1 << 20;

/// The kind.
#[derive(Default)]
pub struct FileLine {
    files: Arc<Cached<Option<Text>>>,
}

impl Kind for FileLine {
    fn schema(&self) -> &KindSchema {
        &modules::FILE_LINE
    }

    fn parse(&self, resource: &Resource, context: &ParseContext<'_>) -> ParseResult {
        let mut p = Params::new(resource);
        p.provider(&["ruby"], &[]);
        let present = p.choice("ensure") != Some("absent");
        let path = p.path();
        let edit = Edit {
            line: p.text("line"),
            present,
            pattern: pattern(&mut p, "match"),
            after: pattern(&mut p, "after"),
            match_for_absence: p.choice("match_for_absence") == Some("true"),
            multiple: p.choice("multiple") == Some("true"),
            replace: p.choice("replace") != Some("false"),
            replace_all: p.choice("replace_all_matches_not_matching_line") == Some("true"),
            append: p.choice("append_on_no_match") != Some("false"),
            path: path.to_string_lossy().into_owned(),
        };
        check(&mut p, &edit);
        let encoding = p.text("encoding").unwrap_or_else(|| "UTF-8".into());
        let encoding = Encoding::of(&encoding).unwrap_or_else(|| {
            let text = format!(
                "the encoding {encoding} is not supported; the module's own provider reads it"
            );
            p.error("encoding", text);
            Encoding::Utf8
        });
        let line = FileLineInstance {
            is_declared: (context.files)().contains(&path),
            files: Arc::clone(&self.files),
            secrets: p.secrets(),
            path,
            edit,
            encoding,
        };
        p.finish(Box::new(line) as Box<dyn Instance>)
    }
}

fn pattern(p: &mut Params<'_>, name: &str) -> Option<Regex> {
    let pattern = p.text(name)?;
    let compiled = compile(Dialect::Ruby, &pattern);
    compiled.map_err(|e| p.error(name, e.to_string())).ok()
}

fn check(p: &mut Params<'_>, edit: &Edit) {
    const REPLACE_ALL: &str = "replace_all_matches_not_matching_line";
    for other in ["multiple", "replace"] {
        if edit.replace_all && p.choice(other) == Some("false") {
            p.error(REPLACE_ALL, format!("{other} must be true when {REPLACE_ALL} is true"));
        }
    }
    let needs_line = edit.present || !edit.match_for_absence || !p.has("match");
    if edit.line.is_none() && needs_line {
        p.error_of_all("line is a required attribute");
    }
}

struct FileLineInstance {
    files: Arc<Cached<Option<Text>>>,
    path: PathBuf,
    /// Whether the graph has the file: in a plan it may be missing.
    is_declared: bool,
    edit: Edit,
    encoding: Encoding,
    secrets: Vec<String>,
}

impl FileLineInstance {
    fn load(&self, path: &Path) -> Result<Option<Text>, KindError> {
        let bytes = read_bytes(path)
            .map_err(|e| KindError::new(format!("Could not read {}: {e}", self.path.display())))?;
        Ok(bytes.map(Text::new))
    }

    fn read(&self, host: &Host) -> Result<Arc<Option<Text>>, KindError> {
        let path = host.path(&self.path);
        if std::fs::metadata(&path).is_ok_and(|meta| meta.len() <= MAX_CACHED) {
            return self.files.get(std::slice::from_ref(&path), || self.load(&path));
        }
        Ok(Arc::new(self.load(&path)?))
    }

    fn missing(&self) -> KindError {
        KindError::new(format!("No such file or directory: {}", self.path.display()))
    }
}

impl Instance for FileLineInstance {
    fn autorequires(&self) -> Vec<ResourceRef> {
        let title = self.path.to_string_lossy();
        vec![ResourceRef { kind: "File".into(), title: title.as_ref().into() }]
    }

    fn context_fingerprint(&self) -> Option<u64> {
        Some(self.is_declared.into())
    }

    fn watches(&self, _: &Host) -> Vec<Watch> {
        vec![Watch::Path(self.path.clone())]
    }

    fn compare(&self, host: &Host) -> Result<Vec<Change>, KindError> {
        let found = self.read(host)?;
        let nothing = Text::default();
        let text = match &*found {
            Some(text) => text,
            None if self.is_declared => &nothing,
            None => return Err(self.missing()),
        };
        let mut differences = Differences::new(&self.secrets);
        match (self.edit.is_there(&text.lines(self.encoding))?, self.edit.present) {
            (false, true) => differences.create("absent", Value::str("present")),
            (true, false) => differences.remove(Value::str("present"), "absent", "removed"),
            _ => {}
        }
        Ok(differences.finish())
    }

    fn apply(&self, host: &Host, changes: &[Change]) -> Result<(), KindError> {
        if changes.is_empty() {
            return Ok(());
        }
        let _editing = editing(&self.path);
        let found = self.load(&host.path(&self.path))?.ok_or_else(|| self.missing())?;
        let Some(new) = self.edit.edited(&found.lines(self.encoding))? else { return Ok(()) };
        let written = rewrite(host, &self.path, &new, Owner { mode: 0o644, ids: None });
        self.files.clear();
        written.map_err(|e| KindError::new(format!("Could not write {}: {e}", self.path.display())))
    }
}
