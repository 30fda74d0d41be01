//! Collectors: `Type <| query |> { … }`.

use std::borrow::Cow;
use std::cell::Cell;
use std::sync::Arc;

use ordain_syntax::ListRef;

use crate::catalog::query::{Candidate, Query, fits};
use crate::catalog::tags::TagId;
use crate::catalog::values::as_parameter;
use crate::catalog::{Catalog, Collector, ParamSource, ResourceId};
use crate::error::{EvalResult, PlainError, plain};
use crate::state::Compiler;
use crate::state::frame::Frame;
use crate::syntax::names::capitalize_segments;
use crate::syntax::{Attribute, BinaryOp, Expr, ExprId, Program};
use crate::validation::label::model_class;
use crate::value::Value;

/// The last answers about tags. Consecutive resources mostly have the same container.
#[derive(Default)]
pub(crate) struct TagCache {
    /// The number of a tag, which is known by where its text is in the query.
    tag: Cell<Option<(*const u8, Option<TagId>)>>,
    /// A tag, a container, and whether the container or one around it has the tag.
    container: Cell<Option<(TagId, ResourceId, bool)>>,
}

impl TagCache {
    /// The number of a tag in the query; `None` if no resource has it.
    fn tag(&self, catalog: &Catalog, tag: &str) -> Option<TagId> {
        match self.tag.get() {
            Some((place, id)) if std::ptr::eq(place, tag.as_ptr()) => id,
            _ => {
                let id = catalog.tags.find(tag);
                self.tag.set(Some((tag.as_ptr(), id)));
                id
            }
        }
    }
}

/// A resource of the catalog.
struct CatalogResource<'c, 'e> {
    compiler: &'c Compiler<'e>,
    id: ResourceId,
    /// The last answers about tags.
    held: &'c TagCache,
}

impl Candidate for CatalogResource<'_, '_> {
    fn title(&self) -> &str {
        &self.compiler.catalog.get(self.id).title
    }

    fn param(&self, name: &str) -> Cow<'_, Value> {
        let resource = self.compiler.catalog.get(self.id);
        let param = resource.param(name).map(|p| &p.value);
        let value = param.or_else(|| self.compiler.models.default_of(resource, name));
        value.map_or(Cow::Owned(Value::Undef), Cow::Borrowed)
    }

    fn has_tag(&self, tag: &str) -> bool {
        let catalog = &self.compiler.catalog;
        let Some(tag) = self.held.tag(catalog, tag) else { return false };
        let resource = catalog.get(self.id);
        if resource.tags.contains(tag) {
            return true;
        }
        let Some(container) = resource.container.filter(|&c| c != self.id) else { return false };
        match self.held.container.get() {
            Some((t, c, held)) if t == tag && c == container => held,
            _ => {
                let held = self.compiler.holds_tag(container, tag);
                self.held.container.set(Some((tag, container, held)));
                held
            }
        }
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

    /// Adds a collector, which the following rounds evaluate; returns its number.
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
            self.warn_at(
                "You cannot collect exported resources without storeconfigs being set; the collection will be ignored",
                span,
            );
        }
        let overrides = self.eval_attributes(f, id, attributes, ParamSource::Collector, false)?;
        let query = match f.program[query] {
            Expr::Nop => Query::All,
            _ => self.query(f, query)?,
        };
        Ok(Collector {
            scope: self.scopes.body_scope(f.scope),
            kind: capitalize_segments(&lower),
            query,
            exported,
            overrides: (!attributes.is_empty()).then_some(overrides),
            span,
            collected: Default::default(),
            is_end: false,
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
                    _ => crate::value::text::to_text(&self.query_operand(f, *left)?),
                };
                let value = self.query_operand(f, *right)?;
                self.comparison(name, *op, value)
            }
            _ => plain("Illegal query expression"),
        }
    }

    /// An operand of a comparison. Queries only support simple values.
    fn query_operand(&mut self, f: &Frame, id: ExprId) -> EvalResult {
        match &f.program[id] {
            Expr::Paren(inner) => self.query_operand(f, *inner),
            Expr::Undef | Expr::Bool(_) | Expr::Int { .. } | Expr::Float(_) => self.eval(f, id),
            Expr::Str(_) | Expr::Concat(_) | Expr::Name(_) => self.eval(f, id),
            Expr::Var(_) => self.eval(f, id),
            Expr::Access(_) => as_parameter(self.eval(f, id)?).or_else(plain),
            _ => {
                let class = model_class(&f.program, id);
                let message =
                    format!("Cannot transform object of class Puppet::Pops::Model::{class}");
                let help =
                    "a query compares with a text, a number, true, false, undef or a variable";
                Err(PlainError::new(message).with_help(help).into())
            }
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
            // Timestamps, timespans and versions count as numbers.
            if matches!(
                item,
                Value::Int(_)
                    | Value::Float(_)
                    | Value::Timestamp(_)
                    | Value::Timespan(_)
                    | Value::SemVer(_)
            ) {
                return plain("Cannot transform a number to a tag");
            }
            tags.push(crate::value::text::to_text(item).to_lowercase());
        }
        Ok(Query::Tags(tags))
    }

    /// Whether a resource of the catalog matches a query.
    pub(crate) fn fits(&self, query: &Query, id: ResourceId, held: &TagCache) -> bool {
        fits(query, &CatalogResource { compiler: self, id, held })
    }

    /// Whether a resource or one of its containers has a tag.
    pub(crate) fn has_tag(&self, id: ResourceId, tag: &str) -> bool {
        self.catalog.tags.find(tag).is_some_and(|tag| self.holds_tag(id, tag))
    }

    fn holds_tag(&self, id: ResourceId, tag: TagId) -> bool {
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
        Frame { program: Arc::clone(program), scope: crate::value::closure::ScopeId::TOP }
    }
}
