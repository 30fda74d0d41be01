//! Explains the value of a field of a resource by the binds, functions and classes that led to it.

use ordain_graph::explain::{Cause, Explanation};
use ordain_source::{SourceMap, Span};

use crate::check::program::ModId;
use crate::graph::resource::{Resource, Resources};
use crate::ir::{EntryStepKind, Included, IrId, IrKind, Program, ResourceStep, Step};
use crate::lower;
use crate::syntax::ast::ExprId;

/// The maximum depth of an explanation.
const MAX_DEPTH: u32 = 30;
/// The most steps that are listed.
const MAX_CAUSES: usize = 200;

/// Finds a resource by its kind, in the form of programs or graphs, and its name.
pub fn find<'r>(resources: &'r Resources, kind: &str, name: &str) -> Option<&'r Resource> {
    let kind = kind.to_ascii_lowercase().replace("::", ":");
    resources.list.iter().find(|r| r.kind.kind.name == kind && r.name == name)
}

/// Explains a resource with all its fields, or one field of it. `None` if it has no such field.
pub fn resource(
    program: &Program,
    sources: &SourceMap,
    resource: &Resource,
    field: Option<&str>,
) -> Option<Explanation> {
    let step = program.steps.iter().find_map(|(_, step)| match step {
        Step::Resource(step) if is_of(step, resource) => Some(&**step),
        _ => None,
    });
    let mut explainer = Explainer { program, sources, count: 0 };
    if let Some(field) = field {
        return explainer.field(step, resource, field);
    }
    let mut causes = vec![explainer.cause("written at", "declaration", resource.span)];
    if let Some(step) = step {
        causes.extend(explainer.causes(step.name, 0));
    }
    causes.extend(explainer.included(resource));
    let names = resource.kind.kind.fields.iter().zip(&resource.fields);
    let names = names.filter(|(_, value)| value.is_some()).map(|(field, _)| field.name);
    let parts = names.filter_map(|name| explainer.field(step, resource, name)).collect();
    let subject = resource.reference();
    Some(Explanation { subject, causes, parts, ..Explanation::default() })
}

/// Whether a statement made a resource.
fn is_of(step: &ResourceStep, resource: &Resource) -> bool {
    let place = |included: &Option<std::sync::Arc<Included>>| included.as_ref().map(|i| i.span);
    step.span == resource.span && place(&step.included) == place(&resource.included)
}

struct Explainer<'a> {
    program: &'a Program,
    sources: &'a SourceMap,
    count: usize,
}

impl Explainer<'_> {
    fn cause(&mut self, words: impl Into<String>, step: &'static str, span: Span) -> Cause {
        self.count += 1;
        Cause { words: words.into(), step, ..Cause::default() }.at(span, self.sources)
    }

    fn field(
        &mut self,
        step: Option<&ResourceStep>,
        resource: &Resource,
        name: &str,
    ) -> Option<Explanation> {
        let (at, ..) = resource.kind.field(name)?;
        let subject = format!("{}.{name}", resource.reference());
        let value = resource.value(name).map(|value| (value.to_string(), lower::data(&value)));
        self.count = 0;
        let Some(span) = resource.field_spans.get(at).copied().flatten() else {
            let words = format!("the default of the kind {}", resource.kind.kind.name);
            let causes = vec![Cause { words, step: "kind", ..Cause::default() }];
            return Some(Explanation { subject, value, causes, ..Explanation::default() });
        };
        let mut cause = self.cause("written at", "declaration", span);
        let entry = step.and_then(|step| step.entries.iter().find(|entry| entry.span == span));
        if let Some(entry) = entry
            && let EntryStepKind::Field(_, value) = entry.kind
        {
            if let Some(condition) = entry.condition {
                let span = self.program.span(condition);
                let mut when = self.cause("because this is true", "condition", span);
                when.from = self.causes(condition, 1);
                cause.from.push(when);
            }
            cause.from.extend(self.causes(value, 0));
        }
        let mut causes = vec![cause];
        causes.extend(self.included(resource));
        Some(Explanation { subject, value, causes, ..Explanation::default() })
    }

    /// The classes that led to a resource, innermost first.
    fn included(&mut self, resource: &Resource) -> Vec<Cause> {
        let mut causes = Vec::new();
        let mut next = resource.included.as_ref();
        while let Some(here) = next {
            let words = format!("in class {}, included at", here.class);
            let mut cause = self.cause(words, "class", here.span);
            cause.name = Some(here.class.to_string());
            causes.push(cause);
            next = here.outer.as_ref();
        }
        causes
    }

    fn text(&self, at: (ModId, ExprId)) -> Option<String> {
        let module = self.program.modules.get(at.0.0 as usize)?;
        let span = module.tree.exprs[at.1].range.in_file(module.file);
        let text = self.sources.file(span.file).text.get(span.range.start as usize..)?.to_owned();
        let length = (span.range.end - span.range.start) as usize;
        text.get(..length).map(str::to_owned)
    }

    /// The sources of an expression's value.
    fn causes(&mut self, id: IrId, depth: u32) -> Vec<Cause> {
        if depth > MAX_DEPTH || self.count > MAX_CAUSES {
            return Vec::new();
        }
        let program = self.program;
        let span = program.span(id);
        match &program.ir[id].kind {
            IrKind::Const(_) | IrKind::Lambda(_) => Vec::new(),
            IrKind::Hostname => vec![self.cause("the name of the host", "host", span)],
            IrKind::Param(_) => Vec::new(),
            IrKind::Text(inner) => self.causes(*inner, depth),
            IrKind::List(items) | IrKind::Struct(_, items) => self.all(items, depth),
            IrKind::Map(pairs) => {
                let parts: Vec<IrId> = pairs.iter().flat_map(|(k, v)| [*k, *v]).collect();
                self.all(&parts, depth)
            }
            IrKind::Def(def) => {
                let value = program.defs[def.0 as usize].value;
                vec![self.bind(id, value, depth)]
            }
            IrKind::Operator(_, a, b) => {
                let operands: Vec<IrId> = std::iter::once(*a).chain(*b).collect();
                self.all(&operands, depth)
            }
            IrKind::Builtin(call) if call.func.is_internal() || call.func.name == "concat" => {
                self.all(&call.args, depth)
            }
            IrKind::Builtin(call) => {
                let words = format!("given by {}, called at", call.func.name);
                let mut cause = self.cause(words, "function", span);
                cause.name = Some(call.func.name.into());
                cause.from = self.all(&call.args, depth + 1);
                vec![cause]
            }
            IrKind::Apply(lambda, args) => {
                let args = args.clone();
                let mut cause = self.cause("given by a function, called at", "function", span);
                cause.from = self.causes(lambda.body, depth + 1);
                cause.from.extend(self.all(&args, depth + 1));
                vec![cause]
            }
            IrKind::Call(func, args) => {
                let mut cause = self.cause("given by a function, called at", "function", span);
                cause.from = self.causes(*func, depth + 1);
                cause.from.extend(self.all(args, depth + 1));
                vec![cause]
            }
            IrKind::If([condition, then, other]) => {
                let mut cause = self.cause("chosen at", "choice", span);
                cause.from = self.all(&[*condition, *then, *other], depth + 1);
                vec![cause]
            }
            IrKind::Except(value, other) => self.all(&[*value, *other], depth),
        }
    }

    /// The use of a definition with this value.
    fn bind(&mut self, usage: IrId, value: IrId, depth: u32) -> Cause {
        let program = self.program;
        let name = self.text(program.ir[usage].at).filter(|text| text.starts_with('$'));
        let words = match &name {
            Some(name) => format!("{name} is"),
            None => "a variable in it is".into(),
        };
        let mut cause = self.cause(words, "bind", program.span(value));
        cause.name = name;
        cause.expression = self.text(program.ir[value].at);
        if let IrKind::Const(value) = &program.ir[value].kind {
            cause.value = Some(lower::data(value));
        }
        cause.from = self.causes(value, depth + 1);
        cause
    }

    fn all(&mut self, ids: &[IrId], depth: u32) -> Vec<Cause> {
        ids.iter().flat_map(|id| self.causes(*id, depth)).collect()
    }
}
