//! Collectors: `Type <| query |> { … }`.

use std::sync::Arc;

use ordain_syntax::ListRef;

use crate::catalog::{Collector, How, ResourceId, capitalize_segments};
use crate::eval::error::{EvalResult, plain};
use crate::eval::{Compiler, Frame, compare};
use crate::syntax::{Attribute, BinaryOp, CallForm, Expr, ExprId, Program};
use crate::value::Value;

/// A query, its values evaluated when the collector was made.
#[derive(Clone, Debug)]
pub enum Query {
    /// Everything fits.
    All,
    /// Both fit.
    And(Box<Query>, Box<Query>),
    /// One fits.
    Or(Box<Query>, Box<Query>),
    /// A parameter or the title equals a value, or holds it; or must not.
    Compare {
        /// The name.
        name: ecow::EcoString,
        /// The value.
        value: Value,
        /// `==` rather than `!=`.
        equal: bool,
    },
    /// All of these tags.
    Tags(Vec<ecow::EcoString>),
}

/// What a query is asked of.
pub(crate) trait Candidate {
    /// The title or the value of a parameter.
    fn value(&self, name: &str) -> Value;
    /// Whether it has a tag.
    fn has_tag(&self, tag: &str) -> bool;
}

/// Whether something fits a query.
pub(crate) fn fits(query: &Query, candidate: &impl Candidate) -> bool {
    match query {
        Query::All => true,
        Query::And(l, r) => fits(l, candidate) && fits(r, candidate),
        Query::Or(l, r) => fits(l, candidate) || fits(r, candidate),
        Query::Tags(tags) => tags.iter().all(|tag| candidate.has_tag(tag)),
        Query::Compare { name, value, equal } => match &candidate.value(name) {
            Value::Array(items) if *equal => items.iter().any(|item| compare::equals(item, value)),
            actual => compare::equals(actual, value) == *equal,
        },
    }
}

/// A resource of the catalog.
struct Own<'c, 'e> {
    compiler: &'c Compiler<'e>,
    id: ResourceId,
}

impl Candidate for Own<'_, '_> {
    fn value(&self, name: &str) -> Value {
        let resource = self.compiler.catalog.get(self.id);
        if name == "title" {
            return Value::Str(resource.title.clone());
        }
        resource.param(name).map_or(Value::Undef, |p| p.value.clone())
    }

    fn has_tag(&self, tag: &str) -> bool {
        self.compiler.has_tag(self.id, tag)
    }
}

impl Compiler<'_> {
    pub(crate) fn eval_collect(
        &mut self,
        f: &Frame,
        id: ExprId,
        exported: bool,
        kind: ExprId,
        query: ExprId,
        attributes: ListRef<Attribute>,
    ) -> EvalResult {
        self.collect(f, id, exported, kind, query, attributes)?;
        Ok(Value::Undef)
    }

    /// Makes a collector, which is evaluated in the rounds to come; gives its number.
    pub(crate) fn collect(
        &mut self,
        f: &Frame,
        id: ExprId,
        exported: bool,
        kind: ExprId,
        query: ExprId,
        attributes: ListRef<Attribute>,
    ) -> EvalResult<usize> {
        let made = self.collector(f, id, exported, kind, query, attributes);
        match made {
            Err(unwind) => Err(self.locate(f, id, unwind)),
            Ok(collector) => {
                self.catalog.collectors.push(collector);
                Ok(self.catalog.collectors.len() - 1)
            }
        }
    }

    fn collector(
        &mut self,
        f: &Frame,
        id: ExprId,
        exported: bool,
        kind: ExprId,
        query: ExprId,
        attributes: ListRef<Attribute>,
    ) -> EvalResult<Collector> {
        let Expr::Ref(name) = &f.program[kind] else { return plain("LHS is not a type") };
        let lower = name.trim_start_matches("::").to_lowercase();
        if lower == "class" {
            return plain("Classes cannot be collected");
        }
        if !self.is_resource_type(&lower)? {
            return plain(format!("Resource type {lower} doesn't exist"));
        }
        let span = f.program.span(id);
        if exported && self.settings.exports.is_none() {
            self.warn(
                "You cannot collect exported resources without storeconfigs being set; the collection will be ignored",
                Some(span),
            );
        }
        let overrides = self.eval_attributes(f, id, attributes, How::Collector, false)?;
        let query = match f.program[query] {
            Expr::Nop => Query::All,
            _ => self.query(f, query)?,
        };
        Ok(Collector {
            scope: self.scopes.body_scope(f.scope),
            kind: capitalize_segments(&lower),
            query,
            exported,
            overrides,
            span,
            collected: Default::default(),
            otherwise: Vec::new(),
        })
    }

    fn query(&mut self, f: &Frame, id: ExprId) -> EvalResult<Query> {
        match &f.program[id] {
            Expr::Paren(inner) => self.query(f, *inner),
            Expr::And(l, r) => {
                Ok(Query::And(Box::new(self.query(f, *l)?), Box::new(self.query(f, *r)?)))
            }
            Expr::Or(l, r) => {
                Ok(Query::Or(Box::new(self.query(f, *l)?), Box::new(self.query(f, *r)?)))
            }
            Expr::Binary { op, left, right } => {
                let name = match &f.program[*left] {
                    Expr::Name(name) | Expr::Str(name) | Expr::Reserved(name) => name.clone(),
                    _ => crate::eval::text::to_text(&self.eval(f, *left)?),
                };
                if let Some(class) = not_in_queries(&f.program, *right) {
                    return plain(format!(
                        "Cannot transform object of class Puppet::Pops::Model::{class}"
                    ));
                }
                let value = self.eval(f, *right)?;
                self.comparison(name, *op, value)
            }
            _ => plain("Illegal query expression"),
        }
    }

    fn comparison(&self, name: ecow::EcoString, op: BinaryOp, value: Value) -> EvalResult<Query> {
        let equal = op == BinaryOp::Eq;
        if name != "tag" || !equal {
            return Ok(Query::Compare { name, value, equal });
        }
        let items = match &value {
            Value::Array(items) => items.to_vec(),
            other => vec![other.clone()],
        };
        let mut tags = Vec::with_capacity(items.len());
        for item in &items {
            if matches!(item, Value::Int(_) | Value::Float(_)) {
                return plain("Cannot transform a number to a tag");
            }
            tags.push(crate::eval::text::to_text(item).to_lowercase());
        }
        Ok(Query::Tags(tags))
    }

    /// Whether a resource of the catalog fits a query.
    pub(crate) fn fits(&self, query: &Query, id: ResourceId) -> bool {
        fits(query, &Own { compiler: self, id })
    }

    /// Whether a resource, or what it is contained in, has a tag.
    pub(crate) fn has_tag(&self, id: ResourceId, tag: &str) -> bool {
        let Some(tag) = self.catalog.tags.find(tag) else { return false };
        let mut at = Some(id);
        while let Some(id) = at {
            let resource = self.catalog.get(id);
            if resource.tags.contains(tag) {
                return true;
            }
            at = resource.container.filter(|&c| c != id);
        }
        false
    }

    /// A frame for code at the top.
    pub(crate) fn top_frame(&self, program: &Arc<Program>) -> Frame {
        Frame { program: Arc::clone(program), scope: crate::eval::scope::ScopeId::TOP }
    }
}

/// The name that upstream has for a kind of expression which may not be a value in a query.
fn not_in_queries(program: &Program, id: ExprId) -> Option<&'static str> {
    Some(match &program[id] {
        Expr::List(_) => "LiteralList",
        Expr::Hash(_) => "LiteralHash",
        Expr::Minus(_) => "UnaryMinusExpression",
        Expr::Ref(_) => "QualifiedReference",
        Expr::Default => "LiteralDefault",
        Expr::Regex(_) => "LiteralRegularExpression",
        Expr::Call(call) => match program.call(*call).form {
            CallForm::Method => "CallMethodExpression",
            _ => "CallNamedFunctionExpression",
        },
        _ => return None,
    })
}
