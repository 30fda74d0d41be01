//! Literal instances of types with features in source texts: objects, and resources of such types.

use std::sync::Arc;

use ecow::EcoString;

use super::index::Index;
use super::types::{text, texts};
use ordain_puppet::eval::models::{InstanceSyntax, ValueSyntax};
use ordain_puppet::load::RubyType;
use ordain_puppet::load::native_type::NativeType;
use ordain_puppet::syntax::*;
use ordain_puppet::validation::names::plain;

/// Adds all of a text.
pub(super) fn collect(program: &Arc<Program>, index: &Index, out: &mut Vec<InstanceSyntax>) {
    let collector = Collector { program, index };
    for (id, expr) in program.exprs.iter() {
        match expr {
            Expr::Call(call) => out.extend(collector.made(id, program.call(*call))),
            // A virtual resource need not be valid before it is realized.
            Expr::Resource { form: ResourceForm::Virtual, .. } => {}
            Expr::Resource { kind, bodies, .. } => {
                let Some(name) = text(program, *kind).map(|name| plain(name)) else { continue };
                if index.native(&name).is_some_and(|kind| is_elsewhere(&kind))
                    || !index.types.models.contains(&name)
                {
                    continue;
                }
                out.extend(collector.declared(id, &name, program.bodies(*bodies)));
            }
            _ => {}
        }
    }
}

/// Whether a resource type is built in or written in Ruby.
fn is_elsewhere(kind: &NativeType) -> bool {
    let in_ruby = |ruby: &RubyType| !ruby.file.as_os_str().is_empty();
    kind.table.is_some() || kind.ruby.as_ref().is_some_and(|ruby| in_ruby(ruby))
}

struct Collector<'a> {
    program: &'a Arc<Program>,
    index: &'a Index,
}

impl Collector<'_> {
    /// `T.new { }`, `new(T, { })` and `T({ })`.
    fn made(&self, at: ExprId, call: &Call) -> Option<InstanceSyntax> {
        let program = self.program;
        let (kind, rest) = match &program[call.callee] {
            Expr::Name(name) if name == "new" => {
                let (&kind, rest) = program.list(call.args).split_first()?;
                (kind, rest)
            }
            Expr::Ref(_) => (call.callee, program.list(call.args)),
            _ => return None,
        };
        let Expr::Ref(name) = &program[kind] else { return None };
        let kind = plain(name);
        if !self.index.types.models.contains(&kind) {
            return None;
        }
        let entries = match rest {
            [] => &[],
            [hash] => match program[*hash] {
                Expr::Hash(entries) => program.list(entries),
                _ => return None,
            },
            _ => return None,
        };
        let mut values = Vec::new();
        let mut is_whole = call.lambda.is_none();
        for pair in entries.chunks_exact(2) {
            let Some(name) = text(program, pair[0]) else {
                is_whole = false;
                continue;
            };
            let value = self.index.types.value(program, pair[1]);
            is_whole &= value.is_some();
            let (name, name_at) = (name.clone(), program.span(pair[0]));
            values.push(ValueSyntax { name, name_at, expr: pair[1], value });
        }
        let program = Arc::clone(program);
        let titles = Vec::new();
        Some(InstanceSyntax { program, kind, at, values, is_whole, titles, is_resource: false })
    }

    /// The resources of an expression. A resource is whole if no other code can add to it.
    fn declared<'b>(
        &'b self,
        at: ExprId,
        kind: &'b EcoString,
        bodies: &'b [ResourceBody],
    ) -> impl Iterator<Item = InstanceSyntax> + 'b {
        let program = self.program;
        let is_default = |body: &&ResourceBody| matches!(program[body.title], Expr::Default);
        let around = bodies.iter().find(is_default).map(|body| body.attributes);
        bodies.iter().map(move |body| {
            let own = program.attributes(body.attributes);
            let around = around.filter(|_| !is_default(&body));
            let around = around.map_or(&[][..], |list| program.attributes(list)).iter();
            let missing = |a: &&Attribute| !own.iter().any(|own| own.name == a.name);
            let all: Vec<&Attribute> = own.iter().chain(around.filter(missing)).collect();
            let plain = all.iter().filter(|a| a.op == AttributeOp::Set);
            let values: Vec<ValueSyntax> = plain.map(|a| self.attribute(a)).collect();
            let titles = texts(program, body.title);
            let is_known = !self.index.changed.contains(kind)
                && all.len() == values.len()
                && values.iter().all(|value| value.value.is_some());
            InstanceSyntax {
                program: Arc::clone(program),
                kind: kind.clone(),
                at,
                values,
                is_whole: is_known && !titles.is_empty(),
                titles: titles.into_iter().map(|(t, at)| (t.clone(), program.span(at))).collect(),
                is_resource: true,
            }
        })
    }

    fn attribute(&self, attribute: &Attribute) -> ValueSyntax {
        ValueSyntax {
            name: attribute.name.clone(),
            name_at: attribute.range.in_file(self.program.file),
            expr: attribute.value,
            value: self.index.types.value(self.program, attribute.value),
        }
    }
}
