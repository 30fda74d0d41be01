//! Resource types in Ruby whose file must run: their attributes, and their title patterns.

use std::path::Path;
use std::sync::Arc;

use ecow::EcoString;
use ordain_source::{FileId, Span, TextRange};
use serde_json::{Value as Json, json};

use crate::catalog::names::is_composite;
use crate::catalog::{ResourceId, ResourceKind};
use crate::error::{EvalResult, PlainError, Unwind};
use crate::load::RubyType;
use crate::plugins::state::Callee;
use crate::state::Compiler;
use crate::types::models::layout::TitlePatterns;
use crate::value::Value;
use crate::value::closure::ScopeId;
use crate::value::resource_key::ResourceKey;
use crate::value::ruby::ruby_text;
use crate::value::text::to_text;

/// The place of requests that no declaration has caused.
const NOWHERE: Span = Span { file: FileId(0), range: TextRange { start: 0, end: 0 } };

impl Compiler<'_> {
    /// The type as its running file describes it. If the file cannot run, the description that was
    /// read from its text is kept.
    pub(crate) fn examined_type(&mut self, name: &str, read: &Arc<RubyType>) -> Arc<RubyType> {
        let place = read.file.display().to_string();
        let callee = Callee { what: "the resource type", place: &place };
        let reply = self
            .with_ruby(callee, NOWHERE, |this| this.load_type(callee, name, &read.file, NOWHERE));
        let found = match reply {
            Ok(reply) => Arc::new(described_type(read, &reply)),
            Err(_) => Arc::new(RubyType { unclear: false, ..RubyType::clone(read) }),
        };
        self.env.set_ruby_type(name, Arc::clone(&found));
        found
    }

    /// The description of a type from the `ruby` process, which loads the type if necessary.
    pub(super) fn load_type(
        &mut self,
        callee: Callee<'_>,
        name: &str,
        file: &Path,
        span: Span,
    ) -> EvalResult<Json> {
        let key = format!("type {name}");
        let known = self.ruby.session.as_ref().and_then(|session| session.loaded(&key));
        if let Some(reply) = known {
            return Ok(reply.clone());
        }
        let text =
            self.env.world.read(file).map_err(|error| {
                PlainError::new(format!("cannot read {}: {error}", file.display()))
            })?;
        let text = String::from_utf8_lossy(&text);
        let reply = self.converse(callee, span, json!(["type", name, callee.place, text]))?;
        if let Some(session) = &mut self.ruby.session {
            session.set_loaded(&key, reply.clone());
        }
        Ok(reply)
    }

    /// The attributes in a title, by the title patterns of its type.
    ///
    /// # Errors
    /// When no pattern matches the title, or the type cannot run.
    pub(crate) fn title_values(
        &mut self,
        name: &str,
        kind: &RubyType,
        title: &str,
        at: (ScopeId, Span),
    ) -> EvalResult<Vec<(EcoString, Value)>> {
        if let Some(patterns) = &kind.title_patterns {
            return match_title(patterns, title);
        }
        let place = kind.file.display().to_string();
        let what = format!("the resource type `{name}`");
        let callee = Callee { what: &what, place: &place };
        let answer = self.with_ruby(callee, at.1, |this| {
            this.load_type(callee, name, &kind.file, at.1)?;
            let answer = this.converse(callee, at.1, json!(["title", name, title]))?;
            this.unpack_value(&answer)
        })?;
        if answer.is_undef() {
            return Err(unmatched_title(title));
        }
        let entries = answer.as_hash().into_iter().flatten();
        Ok(entries.map(|(key, value)| (to_text(key), value.clone())).collect())
    }

    /// The resource of a title. If there is none, the title patterns of the type split the title into a
    /// composite name, and the resource of that name is taken.
    pub(crate) fn find_named(&mut self, key: &ResourceKey) -> Option<ResourceId> {
        if let Some(id) = self.catalog.find(key) {
            return Some(id);
        }
        let id = self.find_by_composite_name(key)?;
        self.catalog.alias(key.clone(), id);
        Some(id)
    }

    fn find_by_composite_name(&mut self, key: &ResourceKey) -> Option<ResourceId> {
        let first = *self.catalog.of_kind(&key.kind).first()?;
        let ResourceKind::Native(schema) = &self.catalog.get(first).what else { return None };
        let kind = schema.ruby.clone().filter(is_composite)?;
        let name = key.kind.to_lowercase();
        let values = self.title_values(&name, &kind, &key.title, (ScopeId::TOP, NOWHERE)).ok()?;
        let value = |name: &str| {
            let value = values.iter().find(|(known, _)| known == name).map(|(_, value)| value);
            value.cloned().unwrap_or_default()
        };
        let mut names: Vec<&EcoString> = kind.namevars.iter().collect();
        names.sort();
        let parts = names.into_iter().map(|name| String::from(ruby_text(&value(name))));
        let title = parts.collect::<Vec<_>>().join("\0");
        self.catalog.find(&ResourceKey::new(&key.kind, &title))
    }
}

/// The attributes in a title, by the first matching pattern.
pub(crate) fn match_title(
    patterns: &TitlePatterns,
    title: &str,
) -> EvalResult<Vec<(EcoString, Value)>> {
    for (pattern, names) in patterns {
        let Ok(regex) = pattern.regex() else { continue };
        let Ok(Some(found)) = regex.captures(title) else { continue };
        let groups = names.iter().enumerate().filter_map(|(i, name)| {
            let text = found.get(i + 1).map_or(Value::Undef, |range| Value::from(&title[range]));
            Some((name.clone()?, text))
        });
        return Ok(groups.collect());
    }
    Err(unmatched_title(title))
}

fn unmatched_title(title: &str) -> Box<Unwind> {
    PlainError::new(format!("No set of title patterns matched the title \"{title}\".")).into()
}

fn described_type(read: &RubyType, reply: &Json) -> RubyType {
    let names = |key: &str| -> Vec<EcoString> {
        reply[key]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(Json::as_str)
            .map(Into::into)
            .collect()
    };
    let mut namevars = names("namevars");
    if namevars.is_empty() {
        namevars.push("name".into());
    }
    RubyType {
        attributes: names("attributes"),
        namevars,
        open: false,
        isomorphic: reply["isomorphic"].as_bool().unwrap_or(true),
        unclear: false,
        ..read.clone()
    }
}
