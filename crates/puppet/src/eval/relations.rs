//! Arrows between resources.

use rustc_hash::FxHashSet;

use crate::catalog::no_title;
use crate::catalog::values::reference;
use crate::catalog::{Relation, RelationEnd};
use crate::error::{EvalResult, plain};
use crate::state::Compiler;
use crate::state::evaluate::Evaluate;
use crate::state::frame::Frame;
use crate::syntax::{Arrow, Expr, ExprId};
use crate::types::Type;
use crate::value::Value;
use crate::value::resource_key::{ResourceKey, reference_key};

/// An operand of an arrow, evaluated.
enum Operand {
    Value(Value),
    Ends(Vec<RelationEnd>),
}

impl Compiler<'_> {
    pub(crate) fn eval_relation(
        &mut self,
        f: &Frame,
        id: ExprId,
        arrow: Arrow,
        left: ExprId,
        right: ExprId,
    ) -> EvalResult {
        let ends = self.relate(f, id, arrow, left, right)?;
        let references = ends.iter().filter_map(|end| match end {
            RelationEnd::Resource(key) => Some(reference(key)),
            RelationEnd::Collector(_) => None,
        });
        Ok(Value::array(references))
    }

    /// Relates two operands. The result continues the chain: the right operand, or the left one if
    /// the right is empty.
    fn relate(
        &mut self,
        f: &Frame,
        id: ExprId,
        arrow: Arrow,
        left: ExprId,
        right: ExprId,
    ) -> EvalResult<Vec<RelationEnd>> {
        let l = self.operand(f, left)?;
        let r = self.operand(f, right)?;
        let l = self.ends(f, id, l)?;
        let r = self.ends(f, id, r)?;
        let (from, to) = match arrow {
            Arrow::Before | Arrow::Notify => (&l, &r),
            Arrow::After | Arrow::Subscribe => (&r, &l),
        };
        let notify = matches!(arrow, Arrow::Notify | Arrow::Subscribe);
        let span = f.program.span(id);
        if !from.is_empty() && !to.is_empty() {
            let (from, to) = (from.as_slice().into(), to.as_slice().into());
            let relation = Relation { from, to, is_barrier: false, notify, arrow, span };
            self.catalog.relations.push(relation);
        }
        if r.is_empty() {
            return Ok(l);
        }
        if let [RelationEnd::Collector(collector)] = r[..] {
            self.catalog.collectors[collector].otherwise = l;
        }
        Ok(r)
    }

    fn operand(&mut self, f: &Frame, id: ExprId) -> EvalResult<Operand> {
        match &f.program[id] {
            Expr::Relation { arrow, left, right } => {
                self.relate(f, id, *arrow, *left, *right).map(Operand::Ends)
            }
            Expr::Paren(inner) => self.operand(f, *inner),
            Expr::Collect { exported, kind, query, attributes } => {
                let (exported, kind, query, attributes) = (*exported, *kind, *query, *attributes);
                let collector = self.collect(f, id, exported, kind, query, attributes)?;
                self.catalog.collectors[collector].is_end = true;
                Ok(Operand::Ends(vec![RelationEnd::Collector(collector)]))
            }
            _ => self.eval(f, id).map(Operand::Value),
        }
    }

    fn ends(&mut self, f: &Frame, whole: ExprId, operand: Operand) -> EvalResult<Vec<RelationEnd>> {
        match operand {
            Operand::Ends(ends) => Ok(ends),
            Operand::Value(value) => {
                let mut ends = Vec::new();
                self.ends_of(f, whole, &value, &mut ends)?;
                let mut known = FxHashSet::default();
                ends.retain(|end| match end {
                    RelationEnd::Resource(key) => known.insert(key.clone()),
                    RelationEnd::Collector(_) => true,
                });
                Ok(ends)
            }
        }
    }

    fn ends_of(
        &mut self,
        f: &Frame,
        whole: ExprId,
        value: &Value,
        out: &mut Vec<RelationEnd>,
    ) -> EvalResult<()> {
        match value {
            Value::Array(items) => items.iter().try_for_each(|v| self.ends_of(f, whole, v, out)),
            Value::Str(text) => {
                let kind = self.type_of_text(text, f.program.span(whole));
                let kind = match kind {
                    Ok(kind) => kind,
                    Err(unwind) => return Err(self.locate(f, whole, unwind)),
                };
                self.end_of_type(f, whole, &kind, out)
            }
            Value::Type(kind) | Value::Reference(kind) => self.end_of_type(f, whole, kind, out),
            other => {
                let shown = crate::types::label::a_an(other);
                let text = format!(
                    "Illegal relationship operand, can not form a relationship with {shown}. A Catalog type is required."
                );
                Err(self.error(f, whole, "ILLEGAL_RELATIONSHIP_OPERAND_TYPE", text))
            }
        }
    }

    fn end_of_type(
        &mut self,
        f: &Frame,
        whole: ExprId,
        kind: &Type,
        out: &mut Vec<RelationEnd>,
    ) -> EvalResult<()> {
        // A reference without a title has no resources at the end of the compile.
        let key = reference_key(kind).or_else(|| match kind {
            Type::Resource { kind: Some(kind), title: None } => Some(ResourceKey::new(kind, "")),
            _ => None,
        });
        if let Some(key) = key {
            out.push(RelationEnd::Resource(key));
            return Ok(());
        }
        if matches!(kind, Type::Class(None)) {
            return plain(no_title("\"class\""));
        }
        let text = format!(
            "Illegal relationship operand, can not form a relationship with something of type {kind}. A Catalog type is required."
        );
        Err(self.error(f, whole, "NOT_CATALOG_TYPE", text))
    }
}
