//! `include` statements: their files, and the inclusion in the object.
//!
//! As in Ruby's library, a name without `file()` is relative to the including file. The outermost
//! text has no file, so such names are ignored there.

use std::path::Path;

use ecow::EcoString;

use super::files::Target;
use super::node::{Fields, Kind, Node};
use super::parse::Parser;
use crate::json::Problem;

/// The maximum depth of included files, as in Ruby's library.
const MAX_INCLUDE_DEPTH: u32 = 50;
/// The maximum number of files that a text includes, directly or indirectly.
const MAX_INCLUDED_FILES: u32 = 10_000;

impl Parser<'_, '_, '_> {
    /// Adds the content of an included file to an object. All of it gets the place `at` of the
    /// statement.
    pub(super) fn include(
        &mut self,
        fields: &mut Fields,
        target: &Target,
        at: usize,
    ) -> Result<(), Problem> {
        let problem = |message: String| Problem { at, message };
        let files = self.included.files(target, self.file).map_err(problem)?;
        let mut merged: Option<Fields> = None;
        for (path, bytes) in files.into_iter().rev() {
            let object = self.included_object(&path, bytes).map_err(problem)?;
            match &mut merged {
                Some(merged) => merged.merge(object),
                None => merged = Some(object),
            }
        }
        let Some(object) = merged else { return Ok(()) };
        let mut substitutes = false;
        for (key, field) in object.into_fields() {
            for mut node in field {
                node.move_below(at, &self.path, &mut substitutes);
                fields.define(key.clone(), node);
            }
        }
        match substitutes && self.lists > 0 {
            true => Err(problem(
                "a file that is included inside of a list cannot have substitutions".to_owned(),
            )),
            false => Ok(()),
        }
    }

    /// The root of an included file.
    fn included_object(&mut self, path: &Path, bytes: Vec<u8>) -> Result<Fields, String> {
        let shown = path.display();
        if self.included.depth >= MAX_INCLUDE_DEPTH {
            return Err(format!(
                "{shown}: include statements nested more than {MAX_INCLUDE_DEPTH} times, you probably \
                 have a cycle in your includes"
            ));
        }
        self.included.files += 1;
        if self.included.files > MAX_INCLUDED_FILES {
            return Err(format!("more than {MAX_INCLUDED_FILES} files are included"));
        }
        let text =
            String::from_utf8(bytes).map_err(|_| format!("{shown}: the text is not UTF-8"))?;
        if path.extension().is_some_and(|ending| ending == "json") {
            crate::json::read(&text).map_err(|e| format!("{shown}: {e}"))?;
        }
        self.included.depth += 1;
        let mut parser = Parser::new(&text, Some(path), self.ids, self.included);
        let root = parser.root();
        self.ids = parser.ids;
        self.included.depth -= 1;
        match root.map_err(|problem| problem.at(&text)) {
            Ok(Node { kind: Kind::Object(fields), .. }) => Ok(fields),
            Ok(_) => Ok(Fields::default()),
            Err(error) => Err(format!("{shown}: {error}")),
        }
    }
}

impl Fields {
    /// The keys with their definitions, in the order of the result.
    fn into_fields(mut self) -> Vec<(EcoString, Vec<Node>)> {
        let keys: Vec<EcoString> =
            self.in_order().into_iter().map(|(key, _)| key.clone()).collect();
        let fields = keys.into_iter().map(|key| {
            let field = self.entries.get_mut(&key);
            let nodes = field.map(|field| std::mem::take(&mut field.definitions));
            (key, nodes.unwrap_or_default())
        });
        fields.collect()
    }
}

impl Node {
    /// Moves a node below a path: its substitutions look there first. Records whether it has any.
    fn move_below(&mut self, at: usize, path: &[EcoString], substitutes: &mut bool) {
        self.at = at;
        match &mut self.kind {
            Kind::Scalar(..) | Kind::Blank(_) => {}
            Kind::List(nodes) | Kind::Concatenation(nodes) => {
                nodes.iter_mut().for_each(|node| node.move_below(at, path, substitutes));
            }
            Kind::Object(fields) => {
                let fields = fields.entries.values_mut();
                let nodes = fields.flat_map(|field| &mut field.definitions);
                nodes.for_each(|node| node.move_below(at, path, substitutes));
            }
            Kind::Substitution { path: own, prefix, .. } => {
                *substitutes = true;
                *prefix += path.len();
                own.splice(..0, path.iter().cloned());
            }
        }
    }
}
