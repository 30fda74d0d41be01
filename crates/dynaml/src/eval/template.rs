//! Templates: every use is a new copy, evaluated in the scope of its use.

use std::rc::Rc;

use super::evaluator::{Env, Evaluator, Info};
use super::tree::{Body, Inst, Memo, NodeLookup, Step};
use crate::diagnostics::stop::{Blocked, Eval, FailureKind, Issue, Stop};
use crate::ids::{InstId, SrcId};
use crate::load::{Marks, SrcKind};
use crate::syntax::ast::ExprId;
use crate::syntax::print::print;
use crate::value::{Flags, Item, Template, TemplateBody, Value};

impl Evaluator<'_> {
    pub(crate) fn instantiate(&mut self, expr: ExprId, env: &Env, info: &mut Info) -> Eval<Value> {
        match self.eval(expr, env, info)? {
            Value::Template(template) => self.use_template(&template, env, info),
            _ => Err(Stop::failed("template value required")),
        }
    }

    /// The value of a template at a place.
    pub(crate) fn use_template(
        &mut self,
        template: &Rc<Template>,
        env: &Env,
        info: &mut Info,
    ) -> Eval<Value> {
        let (body, fixed) = match template.body {
            TemplateBody::Node(src) => (Body::Src(src), false),
            TemplateBody::Expr(expr, src) => (Body::Expr(expr, src), true),
        };
        let scope = env.locals.before(&env.caller);
        let own = ("_".into(), Value::Template(Rc::clone(template)).into());
        let known = scope.get("_").is_some();
        let scope = if known { scope } else { scope.with(vec![own]) };
        let node = self.add_instance(body, env.place, scope, fixed);
        match self.deep_inside(node) {
            Ok(Some(item)) => Ok(item.value),
            Ok(None) => {
                info.undefined = true;
                Ok(Value::Null)
            }
            Err(stop) if stop.passes() => Err(stop),
            Err(_) => {
                let text = format!("resolution of template '{}' failed", self.path(template.place));
                Err(self.nested_trouble(node, text))
            }
        }
    }

    /// A node in the place of another, with its own names.
    pub(crate) fn add_instance(
        &mut self,
        body: Body,
        place: InstId,
        scope: crate::value::Scope,
        fixed: bool,
    ) -> InstId {
        let mut inst = Inst::new(body, place, Step::Same);
        inst.transient = true;
        inst.fixed = fixed;
        let node = self.add(inst);
        self.extra(node).scope = Some(scope);
        node
    }

    /// The failure of an expression that uses a node with failures below it.
    pub(crate) fn nested_trouble(&self, node: InstId, text: String) -> Stop {
        let states = self.trouble_below(node);
        if states.failed {
            return Stop::Failed(Rc::new(Issue {
                kind: FailureKind::Nested,
                text: text.into(),
                nested: vec![node],
                ..Issue::default()
            }));
        }
        Stop::Blocked(Rc::new(Blocked {
            text: text.into(),
            path: None,
            waits: states.waits,
            failed: states.dependent,
            nested: vec![node],
        }))
    }

    fn trouble_below(&self, node: InstId) -> FailureSummary {
        let mut trouble = FailureSummary::default();
        for id in self.troubled(node) {
            match &self.nodes[id].reached {
                Memo::Done(Err(Stop::Failed(_))) => trouble.failed = true,
                Memo::Done(Err(Stop::Blocked(b))) => {
                    trouble.dependent |= b.failed;
                    trouble.waits.extend(&b.waits);
                }
                _ => {}
            }
        }
        trouble
    }

    /// A template that is evaluated wherever it is; documents below get the template.
    pub(crate) fn settle_dynamic(&mut self, id: InstId, found: NodeLookup) -> Eval<NodeLookup> {
        let template = match &found {
            NodeLookup::Value(Item { value: Value::Template(t), flags })
                if flags.has(Flags::DYNAMIC) =>
            {
                Rc::clone(t)
            }
            _ => return Ok(found),
        };
        let mut info = Info::default();
        let value = self.use_template(&template, &Env::at(id), &mut info)?;
        let NodeLookup::Value(item) = found else { return Ok(found) };
        let flags = item.flags.without(Flags::DYNAMIC);
        self.dynamic.insert(id, item);
        if info.undefined {
            return Ok(NodeLookup::Undefined);
        }
        let item = Item { value, flags };
        // The result counts as written here: stubs replace its entries.
        if matches!(template.body, TemplateBody::Expr(..)) && item.value.is_container() {
            return Ok(self.literal(id, item, false));
        }
        Ok(NodeLookup::Value(item))
    }

    /// Whether a node belongs to a document that only serves those below it.
    pub(crate) fn in_stub(&self, id: InstId) -> bool {
        self.documents.get(&self.root(id)).is_some_and(|d| d.stub)
    }

    /// The value of an entry for the documents below: the template of a dynamic one.
    pub(crate) fn handed_on(&self, id: InstId, item: Item, stub: bool) -> Item {
        if stub { self.dynamic.get(&id).cloned().unwrap_or(item) } else { item }
    }

    /// A source as a value; expressions become their text.
    pub(crate) fn source_value(&self, src: SrcId) -> Value {
        match &self.sources.nodes[src].kind {
            SrcKind::Value(item) => item.value.clone(),
            SrcKind::Expr(expr) => Value::Str(self.sources.text(*expr).unwrap_or_else(|| {
                ecow::eco_format!("(( {} ))", print(&self.sources.exprs, *expr))
            })),
            SrcKind::Broken(text, _) => Value::Str(text.clone()),
            SrcKind::Map(map) => {
                let own = map.entries.iter().map(|(k, s)| (k.clone(), self.source_value(*s)));
                let insert = self.insert_text(&map.marks, map.insert);
                let key = if map.marks.long { "<<<" } else { "<<" };
                Value::map(own.chain(insert.map(|v| (key.into(), v))))
            }
            SrcKind::List(list) => {
                let marks = self.insert_text(&list.marks, list.marked);
                let key = if list.marks.long { "<<<" } else { "<<" };
                let marks = marks.map(|v| Value::map([(key, v)]));
                let marked = |entry: &&crate::load::ListEntry| matches!(entry, crate::load::ListEntry::Insert(src) if list.marked == Some(*src));
                let entries = list.entries.iter().filter(|e| !marked(e));
                let own = entries.map(|entry| match entry {
                    crate::load::ListEntry::Node(src) => {
                        self.sources.with_key_tags(*src, self.source_value(*src))
                    }
                    crate::load::ListEntry::Insert(src) => {
                        Value::map([(self.sources.insert_key(*src), self.source_value(*src))])
                    }
                });
                Value::list(marks.into_iter().chain(own))
            }
        }
    }

    fn insert_text(&self, marks: &Marks, insert: Option<SrcId>) -> Option<Value> {
        if marks.is_empty() {
            return insert.map(|src| self.source_value(src));
        }
        if let Some(text) = &marks.written {
            return Some(Value::Str(text.clone()));
        }
        let mut words: Vec<String> = Vec::new();
        if marks.template {
            words.push("&template".into());
        }
        for (flag, word) in [
            (Flags::TEMPORARY, "&temporary"),
            (Flags::LOCAL, "&local"),
            (Flags::INJECT, "&inject"),
            (Flags::STATE, "&state"),
            (Flags::DEFAULT, "&default"),
            (Flags::DYNAMIC, "&dynamic"),
        ] {
            if marks.flags.has(flag) {
                words.push(word.into());
            }
        }
        for (name, global) in &marks.tags {
            words.push(format!("&tag:{}{name}", if *global { "*" } else { "" }));
        }
        if let Some(src) = insert
            && let SrcKind::Expr(expr) = self.sources.nodes[src].kind
        {
            let text = print(&self.sources.exprs, expr);
            let text = text.strip_prefix("( ").and_then(|t| t.strip_suffix(" )")).unwrap_or(&text);
            words.push(format!("({text})"));
        }
        Some(Value::str(format!("(( {} ))", words.join(" "))))
    }
}

#[derive(Default)]
struct FailureSummary {
    failed: bool,
    dependent: bool,
    waits: Vec<InstId>,
}
