//! References in relationships to resources that nothing declares.
//!
//! A missing resource is only certain if all code is present and every title of its type is
//! literal. Computed titles and functions that declare resources prevent the check.

use ecow::EcoString;
use ordain_source::{Diagnostic, suggest};
use rustc_hash::FxHashSet;

use super::index::Index;
use super::layout::Kind;
use super::names::guarded;
use super::types::text;
use crate::check::repository::pass::{Pass, Text};
use crate::check::repository::titles::Titles;
use ordain_puppet::functions::registry::is_native_function;
use ordain_puppet::syntax::*;
use ordain_puppet::validation::names::plain;

const MISSING_RESOURCE: &str = "puppet::missing-resource";

/// Metaparameters whose values are references.
const RELATIONS: [&str; 4] = ["before", "notify", "require", "subscribe"];

/// Attributes that give a resource another name.
const NAMING: [&str; 3] = ["alias", "name", "path"];

/// Functions that declare resources of the type in their first argument.
const MAKING: [&str; 3] = ["create_resources", "ensure_resource", "ensure_resources"];

impl Titles {
    /// Of all programs.
    pub(super) fn of(programs: &[Text], index: &Index) -> Self {
        let has_all = match index.kind {
            Kind::Environment => index.is_complete_for(""),
            Kind::Loose => true,
            Kind::Module | Kind::Modules => false,
        };
        let mut out = Self { is_open: !has_all, ..Self::default() };
        // The default stage always exists.
        out.by_type.entry("stage".into()).or_default().insert("main".into());
        for program in programs.iter().filter(|program| !program.is_aside) {
            if out.is_open {
                return out;
            }
            out.add_program(&program.scopes.program, index);
        }
        out
    }

    /// Adds the titles of a program.
    pub(super) fn add_program(&mut self, program: &Program, index: &Index) {
        program.exprs.iter().for_each(|(_, expr)| self.add(program, index, expr));
    }

    fn add(&mut self, program: &Program, index: &Index, expr: &Expr) {
        match expr {
            Expr::Resource { kind, bodies, .. } => {
                let kind = match &program[*kind] {
                    Expr::Name(name) | Expr::Str(name) | Expr::Ref(name) => plain(name),
                    _ => {
                        self.is_open = true;
                        return;
                    }
                };
                for body in program.bodies(*bodies) {
                    self.body(program, index, &kind, body);
                }
            }
            Expr::Collect { kind, exported: true, .. } => {
                if let Expr::Ref(name) = &program[*kind] {
                    self.open.insert(plain(name));
                }
            }
            Expr::Call(call) => self.call(program, index, program.call(*call)),
            // A type may have another name in an expression.
            Expr::Access(parts) => {
                let first = program.list(*parts).first().map(|&id| &program[id]);
                if matches!(first, Some(Expr::Ref(name)) if plain(name) == "resource") {
                    self.is_open = true;
                }
            }
            _ => {}
        }
    }

    fn body(&mut self, program: &Program, index: &Index, kind: &EcoString, body: &ResourceBody) {
        if matches!(program[body.title], Expr::Default) {
            return;
        }
        let mut known = Vec::new();
        let mut is_open = !literals(program, body.title, &mut known);
        let ruby = index.native(kind).and_then(|kind| kind.ruby);
        let namevars = ruby.as_ref().map_or(&[][..], |ruby| &ruby.namevars);
        for attribute in program.attributes(body.attributes) {
            let names =
                NAMING.contains(&attribute.name.as_str()) || namevars.contains(&attribute.name);
            if attribute.op == AttributeOp::Splat {
                is_open = true;
            } else if names {
                is_open |= !literals(program, attribute.value, &mut known);
            }
        }
        if is_open {
            self.open.insert(kind.clone());
        }
        let titles = self.by_type.entry(kind.clone()).or_default();
        titles.extend(known.iter().map(|title| normal(kind, title)));
    }

    fn call(&mut self, program: &Program, index: &Index, call: &Call) {
        let Expr::Name(name) = &program[call.callee] else { return };
        let name = name.trim_start_matches("::");
        if MAKING.contains(&name) {
            let kind = program.list(call.args).first().and_then(|&arg| text(program, arg));
            match kind {
                Some(kind) => drop(self.open.insert(plain(kind.trim_start_matches('@')))),
                None => self.is_open = true,
            }
        } else if name == "ensure_packages" {
            self.open.insert("package".into());
        } else if index.has_ruby_function(name) && !is_native_function(name) {
            // Ruby code may declare anything.
            self.is_open = true;
        }
    }

    /// Whether it is sure that there is no resource of a type and title.
    fn lacks(&self, kind: &EcoString, title: &str) -> bool {
        !self.is_open
            && !self.open.contains(kind)
            && !self.by_type.get(kind).is_some_and(|known| known.contains(&normal(kind, title)))
    }
}

/// The normalised form of a title: a path has no slash at its end.
pub(super) fn normal(kind: &str, title: &str) -> EcoString {
    match kind {
        "file" if title.len() > 1 => title.trim_end_matches('/').into(),
        _ => title.into(),
    }
}

/// Collects the texts of a literal; false if the expression is not literal.
fn literals(program: &Program, id: ExprId, out: &mut Vec<EcoString>) -> bool {
    match &program[id] {
        Expr::List(items) => program.list(*items).iter().all(|&id| literals(program, id, out)),
        Expr::Paren(inner) => literals(program, *inner, out),
        _ => match text(program, id) {
            Some(text) => {
                out.push(text.clone());
                true
            }
            None => false,
        },
    }
}

/// Runs the rule over a text.
pub(super) fn check(pass: &mut Pass<'_>, titles: &Titles) {
    if titles.is_open || pass.is_aside {
        return;
    }
    let program = pass.program;
    let guarded = guarded(program);
    for (_, expr) in program.exprs.iter() {
        match expr {
            Expr::Resource { bodies, .. } => {
                for body in program.bodies(*bodies) {
                    for attribute in program.attributes(body.attributes) {
                        if RELATIONS.contains(&attribute.name.as_str()) {
                            references(pass, titles, attribute.value, &guarded);
                        }
                    }
                }
            }
            Expr::Relation { left, right, .. } => {
                references(pass, titles, *left, &guarded);
                references(pass, titles, *right, &guarded);
            }
            _ => {}
        }
    }
}

/// Adds the references in a value.
fn references(pass: &mut Pass<'_>, titles: &Titles, id: ExprId, guarded: &FxHashSet<EcoString>) {
    let program = pass.program;
    let parts = match &program[id] {
        Expr::List(items) => {
            for &item in program.list(*items) {
                references(pass, titles, item, guarded);
            }
            return;
        }
        Expr::Access(parts) => program.list(*parts),
        _ => return,
    };
    let Some(Expr::Ref(name)) = parts.first().map(|&first| &program[first]) else { return };
    let kind = plain(name);
    let index = pass.index;
    if kind == "class" || !(index.defines.contains_key(&kind) || index.native(&kind).is_some()) {
        return;
    }
    for &key in &parts[1..] {
        let mut wanted = Vec::new();
        literals(program, key, &mut wanted);
        for title in wanted.iter().filter(|title| titles.lacks(&kind, title)) {
            if pass.is_full() || guarded.contains(&plain(title)) {
                return;
            }
            let message = format!("No resource `{name}['{title}']` is declared");
            let at = program.range(key).in_file(pass.file);
            let mut found = Diagnostic::error(MISSING_RESOURCE, message).at(at);
            let known = titles.by_type.get(&kind).into_iter().flatten().map(EcoString::as_str);
            if let Some(near) = suggest::nearest(title, known) {
                found = found.help(format!("did you mean `{name}['{near}']`?"));
            }
            pass.found.push(found);
        }
    }
}
