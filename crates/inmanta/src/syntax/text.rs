//! Prints nodes as the original does in messages.

use std::fmt::Write;

use super::ast::{Ast, BinOp, ExprId, ExprKind, Slot, StmtId, StmtKind};
use crate::value::{InstanceId, Names, Value, string_repr, write_string};

/// Names for printing constants, which never contain instances.
pub(crate) struct NoInstances;

impl Names for NoInstances {
    fn entity_name(&self, _: InstanceId) -> &str {
        ""
    }

    fn constructed_at(&self, _: InstanceId) -> String {
        String::new()
    }
}

impl BinOp {
    /// The operator in source text.
    pub fn symbol(self) -> &'static str {
        match self {
            Self::Plus => "+",
            Self::Minus => "-",
            Self::Times => "*",
            Self::Divide => "/",
            Self::Modulo => "%",
            Self::Power => "**",
            Self::Equal => "==",
            Self::NotEqual => "!=",
            Self::Less => "<",
            Self::LessEqual => "<=",
            Self::Greater => ">",
            Self::GreaterEqual => ">=",
            Self::In => "in",
        }
    }
}

/// The text that the original prints for `is defined`.
const DEFINED: &str = "<inmanta.ast.constraint.expression.IsDefined object>";

impl Ast {
    /// The text of a node after `reported in`.
    pub fn reported(&self, id: ExprId) -> String {
        match &self.exprs[id].kind {
            ExprKind::Const(Value::Bool(b)) => b.to_string(),
            ExprKind::Const(value) => value.repr(&NoInstances),
            ExprKind::Name(name, _) => self.name(*name).to_owned(),
            ExprKind::Attr(base, name) => format!("{}.{}", self.reported(*base), self.name(*name)),
            ExprKind::Binary(..) | ExprKind::And(..) | ExprKind::Or(..) | ExprKind::Regex(..) => {
                self.pretty(id)
            }
            ExprKind::Not(inner) => format!("Not({})", self.repr(*inner)),
            ExprKind::Cond(c, a, b) => {
                format!("{} ? {} : {}", self.reported(*c), self.reported(*a), self.reported(*b))
            }
            ExprKind::List(_) => "List()".into(),
            ExprKind::Dict(..) => "Dict()".into(),
            ExprKind::Comprehension { .. } => self.pretty(id),
            ExprKind::Call(_) => self.call_text(id, &|id| self.repr(id)),
            ExprKind::New(new) => format!("Construct({})", self.name(self.news[*new].class.symbol)),
            ExprKind::Lookup(_) => self.lookup_text(id),
            ExprKind::Entry(map, key) => {
                format!("{}[{}]", self.reported(*map), self.reported(*key))
            }
            ExprKind::Defined(..) => DEFINED.into(),
            ExprKind::Format(format) => {
                let format = &self.formats[*format];
                let text = string_repr(&format.text);
                if format.is_f { text } else { format!("Format({text})") }
            }
            ExprKind::Splat(dict) => format!("**{}", self.reported(*dict)),
        }
    }

    /// The text of a node in a list of nodes: Python's `repr`.
    pub fn repr(&self, id: ExprId) -> String {
        match &self.exprs[id].kind {
            ExprKind::Format(format) if self.formats[*format].is_f => {
                format!("StringFormatV2({})", self.reported(id))
            }
            ExprKind::Comprehension { value, iterable, guard, .. } => format!(
                "ListComprehension(value_expression={}, loop_var=<inmanta.ast.LocatableString \
                 object>, iterable={}, guard={})",
                self.repr(*value),
                self.repr(*iterable),
                guard.map_or_else(|| "None".into(), |guard| self.repr(guard))
            ),
            _ => self.reported(id),
        }
    }

    /// The text of a node in constraints and hints.
    pub fn pretty(&self, id: ExprId) -> String {
        match &self.exprs[id].kind {
            ExprKind::Binary(op, a, b) => {
                format!("({} {} {})", self.pretty(*a), op.symbol(), self.pretty(*b))
            }
            ExprKind::And(a, b) => format!("({} and {})", self.pretty(*a), self.pretty(*b)),
            ExprKind::Or(a, b) => format!("({} or {})", self.pretty(*a), self.pretty(*b)),
            ExprKind::Not(inner) => format!("(not {})", self.pretty(*inner)),
            ExprKind::Regex(_, pattern) => format!("/{}/", self.patterns[*pattern as usize].text),
            ExprKind::Cond(c, a, b) => {
                format!("{} ? {} : {}", self.pretty(*c), self.pretty(*a), self.pretty(*b))
            }
            ExprKind::List(items) => {
                let items = self.lists.list(*items).iter().map(|item| self.pretty(*item));
                format!("[{}]", items.collect::<Vec<_>>().join(","))
            }
            ExprKind::Comprehension { value, variable, iterable, guard } => {
                let mut out = format!(
                    "[{} for {} in {}",
                    self.pretty(*value),
                    self.name(*variable),
                    self.pretty(*iterable)
                );
                if let Some(guard) = guard {
                    // Writing to a string never fails.
                    let _ = write!(out, " if {}", self.pretty(*guard));
                }
                out + "]"
            }
            ExprKind::Call(_) => self.call_text(id, &|id| self.pretty(id)),
            ExprKind::New(new) => {
                let new = &self.news[*new];
                let names = self.names.list(new.names).iter();
                let named = names.zip(self.lists.list(new.values));
                let named = named.map(|(name, value)| {
                    format!("{}={}", self.name(name.symbol), self.pretty(*value))
                });
                let splats = self.lists.list(new.splats).iter();
                let splats = splats.map(|splat| format!("**{}", self.pretty(*splat)));
                let all: Vec<String> = named.chain(splats).collect();
                format!("{}({})", self.name(new.class.symbol), all.join(","))
            }
            ExprKind::Defined(base, name, _) => match base {
                Some(base) => format!("{}.{} is defined", self.pretty(*base), self.name(*name)),
                None => format!("{} is defined", self.name(*name)),
            },
            _ => self.reported(id),
        }
    }

    fn call_text(&self, id: ExprId, show: &dyn Fn(ExprId) -> String) -> String {
        let ExprKind::Call(call) = &self.exprs[id].kind else { return String::new() };
        let call = &self.calls[*call];
        let positional = self.lists.list(call.positional).iter().map(|a| show(*a));
        let named = call.names.iter().zip(self.lists.list(call.named));
        let named = named.map(|(name, value)| format!("{}={}", self.name(*name), show(*value)));
        let splats = self.lists.list(call.splats).iter().map(|s| show(*s));
        let all: Vec<String> = positional.chain(named).chain(splats).collect();
        format!("{}({})", self.name(call.name.symbol), all.join(","))
    }

    fn lookup_text(&self, id: ExprId) -> String {
        let ExprKind::Lookup(lookup) = &self.exprs[id].kind else { return String::new() };
        let lookup = &self.lookups[*lookup];
        let mut query = String::from("[");
        for (i, (name, value)) in
            lookup.names.iter().zip(self.lists.list(lookup.values)).enumerate()
        {
            query.push_str(if i == 0 { "(" } else { ", (" });
            write_string(&mut query, self.name(*name));
            // Writing to a string never fails.
            let _ = write!(query, ", {})", self.reported(*value));
        }
        query.push(']');
        for splat in self.lists.list(lookup.splats) {
            query.push(',');
            query.push_str(&self.reported(*splat));
        }
        match (&lookup.class, &lookup.root) {
            (Some(class), _) => format!("{}[{query}]", self.name(class.symbol)),
            (_, Some((root, relation))) => {
                format!("{}.{}[{query}]", self.reported(*root), self.name(*relation))
            }
            _ => query,
        }
    }

    /// The text of a statement after `reported in`.
    pub fn statement(&self, id: StmtId) -> String {
        match &self.stmts[id].kind {
            StmtKind::Assign(name, _, value) => {
                format!("{} = {}", self.name(name.symbol), self.reported(*value))
            }
            StmtKind::SetAttr { base, name, value, .. } => {
                let (base, value) = (self.reported(*base), self.reported(*value));
                format!("{base}.{} = {value}", self.name(*name))
            }
            StmtKind::For { variable, .. } => format!("For({})", self.name(*variable)),
            StmtKind::If { .. } => "If".into(),
            StmtKind::Expr(expr) => self.reported(*expr),
            StmtKind::Annotations(_, left, right) => {
                format!("Relation({}, {})", self.name(*left), self.name(*right))
            }
        }
    }

    /// The free names of an expression. Loop variables of comprehensions are left out where the
    /// original does so.
    pub fn free_names(&self, id: ExprId, out: &mut Vec<String>) {
        match &self.exprs[id].kind {
            ExprKind::Name(name, _) => out.push(self.name(*name).to_owned()),
            ExprKind::Defined(base, _, Slot::Unresolved) => {
                if let Some(base) = base {
                    self.free_names(*base, out);
                }
            }
            ExprKind::Comprehension { value, variable, iterable, .. } => {
                let mut inner = Vec::new();
                self.free_names(*value, &mut inner);
                inner.retain(|name| name != self.name(*variable));
                out.append(&mut inner);
                self.free_names(*iterable, out);
            }
            _ => {
                let mut children = Vec::new();
                self.children(id, &mut children);
                for child in children {
                    self.free_names(child, out);
                }
            }
        }
    }

    /// The direct parts of an expression, in order.
    pub fn children(&self, id: ExprId, out: &mut Vec<ExprId>) {
        match &self.exprs[id].kind {
            ExprKind::Const(_) | ExprKind::Name(..) => {}
            ExprKind::Attr(a, _)
            | ExprKind::Not(a)
            | ExprKind::Splat(a)
            | ExprKind::Regex(a, _) => {
                out.push(*a);
            }
            ExprKind::Binary(_, a, b)
            | ExprKind::And(a, b)
            | ExprKind::Or(a, b)
            | ExprKind::Entry(a, b) => out.extend([*a, *b]),
            ExprKind::Cond(a, b, c) => out.extend([*a, *b, *c]),
            ExprKind::List(items) | ExprKind::Dict(_, items) => {
                out.extend(self.lists.list(*items));
            }
            ExprKind::Comprehension { value, iterable, guard, .. } => {
                out.extend([*value, *iterable]);
                out.extend(*guard);
            }
            ExprKind::Call(call) => {
                let call = &self.calls[*call];
                for list in [call.positional, call.named, call.splats] {
                    out.extend(self.lists.list(list));
                }
            }
            ExprKind::New(new) => {
                let new = &self.news[*new];
                out.extend(self.lists.list(new.values));
                out.extend(self.lists.list(new.splats));
            }
            ExprKind::Lookup(lookup) => {
                let lookup = &self.lookups[*lookup];
                out.extend(self.lists.list(lookup.values));
                out.extend(lookup.root.map(|(root, _)| root));
                out.extend(self.lists.list(lookup.splats));
            }
            ExprKind::Defined(base, ..) => out.extend(*base),
            ExprKind::Format(format) => {
                out.extend(self.lists.list(self.formats[*format].variables))
            }
        }
    }
}
