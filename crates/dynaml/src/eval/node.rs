//! The kind of a node, and its finished value.

use std::rc::Rc;

use ecow::EcoString;

use super::evaluator::{Env, Evaluator, Info};
use super::tree::{Body, Children, Extra, Inst, Memo, NodeLookup, Step};
use crate::diagnostics::stop::{Eval, FailureKind, Issue, MemoKind, Stop};
use crate::ids::{InstId, NOWHERE, SrcId};
use crate::load::{ListEntry, ListSrc, MapSrc, Marks, SrcKind};
use crate::options::Dialect;
use crate::syntax::ast::{Expr, ExprId};
use crate::syntax::parser::ParseError;
use crate::syntax::print::print;
use crate::value::{Flags, Item, List, Map, Template, TemplateBody, Value, is_expression};

/// The maximum number of times the text result of an expression may be an expression again.
const MAX_REEVALUATIONS: u32 = 100;

/// The failure of a node that is marked as dynamic but is no template.
const NO_TEMPLATE: &str = "dynamic marker for non-template value node";

impl Evaluator<'_> {
    /// The kind of a node.
    ///
    /// # Errors
    /// When it cannot be determined.
    pub fn reach(&mut self, id: InstId) -> Eval<NodeLookup> {
        match &self.nodes[id].reached {
            Memo::Done(result) => return result.clone(),
            Memo::Busy => return Err(Stop::blocked("", Some(id), false)),
            Memo::Fresh => {}
        }
        self.check_stack(id, MemoKind::Reach)?;
        if self.is_removed_by_insert(id)? {
            self.nodes[id].reached = Memo::Done(Ok(NodeLookup::Undefined));
            return Ok(NodeLookup::Undefined);
        }
        self.nodes[id].reached = Memo::Busy;
        let result = self.find_out(id).and_then(|found| self.settle_dynamic(id, found));
        if let Err(Stop::Suspend(..)) = &result {
            self.suspend(id, MemoKind::Reach);
        } else {
            self.nodes[id].reached = Memo::Done(result.clone());
        }
        result
    }

    /// Whether the insert of a map is undefined, and the map with it. During the evaluation of the
    /// insert the map exists, because the insert may refer to its other entries.
    fn is_removed_by_insert(&mut self, id: InstId) -> Eval<bool> {
        let Some(map) = self.map_source(id) else { return Ok(false) };
        let used = self.nodes[id].extra.as_ref().is_some_and(|e| e.scope.is_some());
        if map.control || (map.marks.template && !used) || !self.insert_may_be_undefined(map) {
            return Ok(false);
        }
        let known = self.nodes[id].extra.as_ref().and_then(|e| e.children.as_ref());
        if matches!(known, Some(Memo::Busy)) {
            return Ok(false);
        }
        match self.children(id) {
            Err(stop) if stop.is_suspend() => Err(stop),
            _ => Ok(self.nodes[id].extra.as_ref().is_some_and(|e| e.undefined)),
        }
    }

    fn find_out(&mut self, id: InstId) -> Eval<NodeLookup> {
        match &self.nodes[id].body {
            Body::Value(item) => {
                let item = item.clone();
                self.reach_value(id, item)
            }
            Body::Expr(expr, _) => {
                let expr = *expr;
                self.reach_expr(id, expr)
            }
            Body::Src(src) => {
                let src = *src;
                match &self.sources.nodes[src].kind {
                    SrcKind::Value(item) => {
                        let item = item.clone();
                        self.reach_value(id, item)
                    }
                    SrcKind::Expr(expr) => {
                        let expr = *expr;
                        self.reach_expr(id, expr)
                    }
                    SrcKind::Broken(_, error) => {
                        let error = error.clone();
                        self.reach_broken(id, error)
                    }
                    SrcKind::Map(map) => {
                        let (marks, control) = (map.marks.clone(), map.control);
                        self.reach_container(id, src, marks, control)
                    }
                    SrcKind::List(list) => {
                        let marks = list.marks.clone();
                        self.reach_container(id, src, marks, false)
                    }
                }
            }
        }
    }

    /// The failure of a text that is no valid expression.
    fn unparseable(&self, error: &ParseError) -> EcoString {
        let spiff = "unparseable expression";
        self.words(spiff, error.near.as_deref().unwrap_or(spiff))
    }

    #[inline(never)]
    fn reach_broken(&mut self, id: InstId, error: ParseError) -> Eval<NodeLookup> {
        if let Some(item) = self.override_of(id) {
            return Ok(self.replaced(id, item));
        }
        let issue = Issue {
            kind: FailureKind::Syntax,
            text: self.unparseable(&error),
            detail: Some(error.message.into()),
            ..Issue::default()
        };
        Err(Stop::Failed(Rc::new(issue)))
    }

    #[inline(never)]
    fn reach_value(&mut self, id: InstId, item: Item) -> Eval<NodeLookup> {
        match &item.value {
            Value::Str(text) if is_expression(text) => {
                let text = text.clone();
                self.reach_text(id, &text, item.flags)
            }
            Value::List(_) | Value::Map(_) => {
                let open = item.value.weight().open;
                if open || (!self.nodes[id].fixed && self.has_stub(id)) {
                    Ok(NodeLookup::Node(id, item.flags.with(self.flags_of_stub(id))))
                } else {
                    Ok(NodeLookup::Value(item))
                }
            }
            _ => match self.override_of(id) {
                Some(found) => Ok(self.replaced(id, found)),
                // Stubs give the values of nodes that the template leaves empty.
                None if self.options.is_check && matches!(item.value, Value::Null) => {
                    Err(Stop::unknown())
                }
                None => Ok(NodeLookup::Value(item)),
            },
        }
    }

    /// Handles a text result that is an expression itself.
    #[inline(never)]
    fn reach_text(&mut self, id: InstId, text: &str, flags: Flags) -> Eval<NodeLookup> {
        match self.sources.expression(text) {
            Some(Ok(expr)) => self.reach_expr(id, expr),
            Some(Err(error)) => self.reach_broken(id, error),
            None => Ok(NodeLookup::Value(Item { value: Value::str(text), flags })),
        }
    }

    #[inline(never)]
    fn reach_container(
        &mut self,
        id: InstId,
        src: SrcId,
        marks: Marks,
        control: bool,
    ) -> Eval<NodeLookup> {
        self.note_tags(id, &marks)?;
        let used = self.nodes[id].extra.as_ref().is_some_and(|e| e.scope.is_some());
        let flags = if used { Flags::default() } else { marks.flags };
        if marks.template && !used {
            let source = self.source_value(src);
            let template = Template { body: TemplateBody::Node(src), place: id, source };
            let item = Item { value: Value::Template(Rc::new(template)), flags: marks.flags };
            return Ok(match self.override_of(id) {
                Some(found) => self.replaced(id, marked(found, marks.flags)),
                None => NodeLookup::Value(item),
            });
        }
        if control {
            return Ok(match self.reach_control(id, src)? {
                NodeLookup::Value(item) => {
                    NodeLookup::Value(Item { flags: item.flags.with(flags), ..item })
                }
                NodeLookup::Node(node, own) => NodeLookup::Node(node, own.with(flags)),
                NodeLookup::Undefined => NodeLookup::Undefined,
            });
        }
        Ok(NodeLookup::Node(id, flags.with(self.flags_of_stub(id))))
    }

    fn reach_expr(&mut self, id: InstId, expr: ExprId) -> Eval<NodeLookup> {
        let (result, info) = self.evaluate_at(id, expr);
        self.settle(id, result, info)
    }

    /// Evaluates an expression as the value of a node, with its effects on the node.
    pub fn evaluate_at(&mut self, id: InstId, expr: ExprId) -> (Eval<Value>, Info) {
        let mut info = Info::default();
        let env = Env::at(id);
        let mut result = self.top(expr, &env, &mut info);
        let mut last = expr;
        for _ in 0..MAX_REEVALUATIONS {
            let Ok(Value::Str(text)) = &result else { break };
            if !is_expression(text) && !self.sources.features.interpolation {
                break;
            }
            let text = text.clone();
            result = match self.sources.expression(&text) {
                Some(Ok(next)) => {
                    last = next;
                    self.top(next, &env, &mut info)
                }
                Some(Err(error)) => Err(Stop::failed(self.unparseable(&error))),
                None => break,
            };
        }
        let is_shown = self.options.partial || self.options.dialect == Dialect::SpiffPlusPlus;
        if is_shown && matches!(result, Err(Stop::Blocked(_))) {
            last = self.rest_of(last, &env);
        }
        if last != expr && matches!(result, Err(Stop::Failed(_) | Stop::Blocked(_))) {
            self.extra(id).again = Some(last);
        }
        (result, info)
    }

    /// Evaluates an expression with the keywords that are only allowed at its beginning.
    fn top(&mut self, expr: ExprId, env: &Env, info: &mut Info) -> Eval<Value> {
        match &self.sources.exprs[expr] {
            Expr::Prefer(inner) => {
                let inner = *inner;
                info.prefer = true;
                self.eval(inner, env, info)
            }
            Expr::Marked(markers, inner) => {
                let (markers, inner) = (markers.clone(), *inner);
                let mut marks = Marks::default();
                marks.add(&markers);
                self.note_tags(env.place, &marks)?;
                info.flags = info.flags.with(marks.flags);
                match inner {
                    _ if marks.template => self.expression_template(env.place, expr, inner),
                    Some(inner) => self.eval(inner, env, info),
                    None => Ok(Value::Null),
                }
            }
            _ => self.eval(expr, env, info),
        }
    }

    #[inline(never)]
    fn expression_template(
        &mut self,
        place: InstId,
        whole: ExprId,
        inner: Option<ExprId>,
    ) -> Eval<Value> {
        let Some(inner) = inner else { return Err(Stop::failed("empty template value")) };
        let text = match (self.options.dialect, &self.sources.exprs[inner]) {
            (Dialect::Spiff, Expr::Group(e)) => print(&self.sources.exprs, *e),
            (Dialect::SpiffPlusPlus, _) => self.sources.written(whole, inner),
            _ => print(&self.sources.exprs, inner),
        };
        let source = Value::str(format!("(( &template ({text}) ))"));
        let src = self.source_of(place);
        let template = Template { body: TemplateBody::Expr(inner, src), place, source };
        Ok(Value::Template(Rc::new(template)))
    }

    /// Determines the kind of a node from the result of its expression, which stubs may replace.
    pub(crate) fn settle(
        &mut self,
        id: InstId,
        result: Eval<Value>,
        info: Info,
    ) -> Eval<NodeLookup> {
        let value = match result {
            Ok(value) => value,
            Err(Stop::Failed(issue)) => {
                return match self.override_of(id) {
                    Some(item) => Ok(self.replaced(id, marked(item, info.flags))),
                    None if info.flags.has(Flags::DYNAMIC) && !issue.kind.is_bound() => {
                        Err(Stop::failed(NO_TEMPLATE))
                    }
                    None => Err(Stop::Failed(issue)),
                };
            }
            Err(stop) => return Err(stop),
        };
        let value = self.bounded(value)?;
        if info.none {
            self.nodes[id].fixed = true;
        }
        let item = Item { value, flags: info.flags };
        if info.undefined {
            let is_own = info.merged || info.prefer;
            let found = if is_own { None } else { self.override_of(id) };
            return Ok(match found {
                Some(item) => self.replaced(id, marked(item, info.flags)),
                None => NodeLookup::Undefined,
            });
        }
        if info.flags.has(Flags::DYNAMIC) {
            // The template is used here, whatever stubs have: they replace the nodes below it.
            if matches!(item.value, Value::Template(_)) {
                return Ok(NodeLookup::Value(item));
            }
            return match self.override_of(id) {
                Some(found) => Ok(self.replaced(id, marked(found, info.flags))),
                None => Err(Stop::failed(NO_TEMPLATE)),
            };
        }
        if !info.merged && info.redirect.is_none() {
            // A list entry is not replaced as a whole, so its fields may be.
            if item.value.is_container() && (info.prefer || self.is_list_entry(id)) {
                return Ok(self.literal(id, item, false));
            }
            if let Some(found) = self.override_of(id) {
                return Ok(self.replaced(id, marked(found, info.flags)));
            }
        }
        if item.value.weight().open && item.value.is_container() {
            return Ok(self.literal(id, item, true));
        }
        Ok(NodeLookup::Value(item))
    }

    fn is_list_entry(&self, id: InstId) -> bool {
        let mut at = id;
        while matches!(self.nodes[at].step, Step::Same) && self.nodes[at].parent != NOWHERE {
            at = self.nodes[at].parent;
        }
        matches!(self.nodes[at].step, Step::Index(_) | Step::Named(_))
    }

    /// The value that a stub puts in place of a node. Expressions that the stub kept are evaluated
    /// again.
    fn replaced(&mut self, id: InstId, item: Item) -> NodeLookup {
        match &item.value {
            Value::Str(text) if self.options.partial && is_expression(text) => {
                self.literal(id, item, true)
            }
            Value::List(_) | Value::Map(_) if item.value.weight().open => {
                self.literal(id, item, true)
            }
            _ => NodeLookup::Value(item),
        }
    }

    /// Treats a value as if it were written in the document.
    #[inline(never)]
    pub(crate) fn literal(&mut self, id: InstId, item: Item, fixed: bool) -> NodeLookup {
        let flags = item.flags;
        let mut inst = Inst::new(Body::Value(item), id, Step::Same);
        inst.fixed = fixed;
        let sub = self.add(inst);
        match self.reach(sub) {
            Ok(NodeLookup::Value(item)) => {
                NodeLookup::Value(Item { flags: item.flags.with(flags), ..item })
            }
            _ => NodeLookup::Node(sub, flags),
        }
    }

    /// The finished value of a node; `None` if it is undefined.
    ///
    /// # Errors
    /// When it has no value.
    pub fn deep(&mut self, id: InstId) -> Eval<Option<Item>> {
        match &self.nodes[id].deep {
            Memo::Done(result) => return result.clone(),
            Memo::Busy => return Err(Stop::blocked("", Some(id), false)),
            Memo::Fresh => {}
        }
        match self.reach(id)? {
            NodeLookup::Value(item) => Ok(Some(item)),
            NodeLookup::Undefined => Ok(None),
            NodeLookup::Node(node, flags) => {
                if node == id {
                    return self.deep_container(id, flags);
                }
                let item = self.deep(node)?;
                Ok(item.map(|i| Item { flags: i.flags.with(flags), ..i }))
            }
        }
    }

    fn deep_container(&mut self, id: InstId, flags: Flags) -> Eval<Option<Item>> {
        self.check_stack(id, MemoKind::Deep)?;
        self.nodes[id].deep = Memo::Busy;
        let result = self.build(id).and_then(|value| self.bounded(value));
        let result = result.map(|value| Some(Item { value, flags }));
        if let Err(Stop::Suspend(..)) = &result {
            self.suspend(id, MemoKind::Deep);
        } else {
            self.nodes[id].deep = Memo::Done(result.clone());
        }
        result
    }

    /// Builds a map or list from its entries. All are evaluated, even if one failed, so that one
    /// run reports all errors.
    fn build(&mut self, id: InstId) -> Eval<Value> {
        let children = self.children(id)?;
        let stub = self.in_stub(id);
        let mut trouble = self.nodes[id].extra.as_ref().and_then(|e| e.fault.clone());
        let note = |stop: Stop, trouble: &mut Option<Stop>| -> Eval<()> {
            if stop.is_suspend() {
                return Err(stop);
            }
            if trouble.is_none() || matches!(stop, Stop::Failed(_)) {
                *trouble = Some(stop);
            }
            Ok(())
        };
        let value = match &*children {
            Children::Map(entries) => {
                let implied =
                    self.map_source(id).is_some_and(|m| m.marks.flags.has(Flags::DEFAULT));
                let implied = if implied { Flags::IMPLIED } else { Flags::default() };
                let mut out = Vec::with_capacity(entries.len());
                for (key, child) in entries {
                    match self.deep(*child) {
                        Ok(Some(item)) => {
                            let item = self.handed_on(*child, item, stub);
                            out.push((
                                key.clone(),
                                Item { flags: item.flags.with(implied), ..item },
                            ));
                        }
                        Ok(None) => {}
                        Err(stop) => note(stop, &mut trouble)?,
                    }
                }
                Value::Map(Map::new(out))
            }
            Children::List(entries, key, _) => {
                let mut out = Vec::with_capacity(entries.len());
                for child in entries {
                    match self.deep(*child) {
                        Ok(Some(item)) => out.push(self.handed_on(*child, item, stub)),
                        Ok(None) => {}
                        Err(stop) => note(stop, &mut trouble)?,
                    }
                }
                Value::List(List::new(out, key.clone()))
            }
        };
        match trouble {
            None => Ok(value),
            Some(stop) => Err(stop),
        }
    }

    /// The entries of the map or list at a node.
    ///
    /// # Errors
    /// When an insert has no value.
    pub fn children(&mut self, id: InstId) -> Eval<Rc<Children>> {
        match self.nodes[id].extra.as_ref().and_then(|e| e.children.as_ref()) {
            Some(Memo::Done(result)) => return result.clone(),
            Some(Memo::Busy) => return Err(Stop::blocked("", Some(id), false)),
            _ => {}
        }
        self.check_stack(id, MemoKind::Shape)?;
        self.extra(id).children = Some(Memo::Busy);
        let result = self.shape(id);
        if let Err(Stop::Suspend(..)) = &result {
            self.suspend(id, MemoKind::Shape);
        } else {
            if result.is_err() && self.sources.broken {
                self.report_broken(id);
            }
            self.extra(id).children = Some(Memo::Done(result.clone()));
        }
        result
    }

    /// Records the invalid expressions below a node. The other nodes are not evaluated, because the
    /// kind of this node is unknown.
    fn report_broken(&mut self, id: InstId) {
        let mut found = Vec::new();
        let mut todo = vec![id];
        while let Some(at) = todo.pop() {
            let Body::Src(src) = self.nodes[at].body else { continue };
            match &self.sources.nodes[src].kind {
                SrcKind::Broken(_, error) => found.push((at, self.unparseable(error))),
                SrcKind::Map(_) => todo.extend(self.own_entries(at).iter().rev().map(|e| e.1)),
                SrcKind::List(list) => {
                    let entries = list.entries.clone();
                    let before = todo.len();
                    for (n, entry) in (0..).zip(entries) {
                        let ListEntry::Node(src) = entry else { continue };
                        todo.push(self.add(Inst::new(Body::Src(src), at, Step::Index(n))));
                    }
                    todo[before..].reverse();
                }
                _ => {}
            }
        }
        for (node, text) in found {
            let known = matches!(self.nodes[node].reached, Memo::Done(_));
            if !known {
                self.nodes[node].reached = Memo::Done(Err(Stop::failed(text)));
            }
            self.extra(id).reported.push(node);
        }
    }

    fn shape(&mut self, id: InstId) -> Eval<Rc<Children>> {
        let children = match &self.nodes[id].body {
            Body::Value(Item { value: Value::List(list), .. }) => {
                let list = Rc::clone(list);
                self.shape_list_value(id, &list)?
            }
            Body::Value(_) => self.shape_map(id)?,
            Body::Src(src) | Body::Expr(_, src) => {
                let src = *src;
                match &self.sources.nodes[src].kind {
                    SrcKind::List(_) => self.shape_list(id, src)?,
                    SrcKind::Value(Item { value: Value::List(list), .. }) => {
                        let list = Rc::clone(list);
                        self.shape_list_value(id, &list)?
                    }
                    _ => self.shape_map(id)?,
                }
            }
        };
        Ok(Rc::new(children))
    }

    /// The rare fields of a node, created on demand.
    pub fn extra(&mut self, id: InstId) -> &mut Extra {
        self.nodes[id].extra.get_or_insert_default()
    }

    /// The source a node stands at.
    pub fn source_of(&self, id: InstId) -> SrcId {
        let mut at = id;
        while at != NOWHERE {
            match &self.nodes[at].body {
                Body::Src(src) | Body::Expr(_, src) => return *src,
                Body::Value(_) => at = self.nodes[at].parent,
            }
        }
        SrcId::new(0)
    }

    /// The map of a source, if it is one.
    pub fn map_source(&self, id: InstId) -> Option<&MapSrc> {
        let Body::Src(src) = self.nodes[id].body else { return None };
        match &self.sources.nodes[src].kind {
            SrcKind::Map(map) => Some(map),
            _ => None,
        }
    }

    /// The list of a source, if it is one.
    pub fn list_source(&self, src: SrcId) -> Option<&ListSrc> {
        match &self.sources.nodes[src].kind {
            SrcKind::List(list) => Some(list),
            _ => None,
        }
    }

    /// The name of the file a node was written in.
    pub fn file_of(&self, id: InstId) -> EcoString {
        let file = self.sources.nodes[self.source_of(id)].file as usize;
        self.files.get(file).map(|f| f.name.clone()).unwrap_or_default()
    }
}

/// A value from a stub at a node with its own markers.
fn marked(item: Item, flags: Flags) -> Item {
    Item { flags: item.flags.with(flags.replaced()), ..item }
}
