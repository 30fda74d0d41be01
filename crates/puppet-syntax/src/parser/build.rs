//! Building the tree.

use ecow::EcoString;
use ordain_source::TextRange;
use ordain_syntax::ListRef;

use super::{MAX_HEIGHT, P, Parser};
use crate::ast::*;

impl Parser<'_> {
    /// Adds an expression; fails if the tree gets too high.
    pub(super) fn add(&mut self, expr: Expr, range: TextRange) -> P<ExprId> {
        let height = self.height_below(&expr) + 1;
        let id = self.program.exprs.push(expr);
        self.program.ranges.push(range);
        self.heights.push(height);
        if height > MAX_HEIGHT {
            return Err(self.too_deep(range));
        }
        Ok(id)
    }

    /// Adds an expression without children.
    pub(super) fn leaf(&mut self, expr: Expr, range: TextRange) -> ExprId {
        let id = self.program.exprs.push(expr);
        self.program.ranges.push(range);
        self.heights.push(1);
        id
    }

    pub(super) fn nop(&mut self, at: u32) -> ExprId {
        self.leaf(Expr::Nop, TextRange::new(at, at))
    }

    pub(super) fn name(&mut self, text: impl Into<EcoString>, range: TextRange) -> ExprId {
        self.leaf(Expr::Name(text.into()), range)
    }

    /// Makes a run of the expressions that were put on the stack since `mark`.
    pub(super) fn list_since(&mut self, mark: usize) -> ExprList {
        self.program.lists.extend(self.stack.drain(mark..))
    }

    fn height(&self, id: ExprId) -> u16 {
        self.heights[id.raw() as usize]
    }

    fn height_of_list(&self, list: ExprList) -> u16 {
        self.program.list(list).iter().map(|&id| self.height(id)).max().unwrap_or(0)
    }

    fn height_of_attributes(&self, list: ListRef<Attribute>) -> u16 {
        self.program.attributes(list).iter().map(|a| self.height(a.value)).max().unwrap_or(0)
    }

    fn height_of_params(&self, list: ListRef<Param>) -> u16 {
        let params = self.program.params(list).iter();
        let all = params.flat_map(|p| [p.kind, p.default]).flatten();
        all.map(|id| self.height(id)).max().unwrap_or(0)
    }

    fn height_of_options(&self, list: ListRef<CaseOption>) -> u16 {
        let options = self.program.options(list).iter();
        options.map(|o| self.height_of_list(o.values).max(self.height(o.then))).max().unwrap_or(0)
    }

    fn height_below(&self, expr: &Expr) -> u16 {
        let h = |id: &ExprId| self.height(*id);
        match expr {
            Expr::Error | Expr::Nop | Expr::Undef | Expr::Default | Expr::Bool(_) => 0,
            Expr::Int { .. } | Expr::Float(_) | Expr::Str(_) | Expr::Name(_) | Expr::Ref(_) => 0,
            Expr::Reserved(_) | Expr::Regex(_) | Expr::Var(_) | Expr::RenderText(_) => 0,
            Expr::Concat(l) | Expr::List(l) | Expr::Hash(l) | Expr::Access(l) | Expr::Block(l) => {
                self.height_of_list(*l)
            }
            Expr::Text(a) | Expr::Not(a) | Expr::Minus(a) | Expr::Splat(a) => h(a),
            Expr::Paren(a) | Expr::Render(a) | Expr::Heredoc { text: a, .. } => h(a),
            Expr::Binary { left, right, .. }
            | Expr::Assign { left, right, .. }
            | Expr::Relation { left, right, .. } => h(left).max(h(right)),
            Expr::And(a, b) | Expr::Or(a, b) | Expr::Dot(a, b) => h(a).max(h(b)),
            Expr::If(a, b, c) | Expr::Unless(a, b, c) => h(a).max(h(b)).max(h(c)),
            Expr::Case(a, o) | Expr::Selector(a, o) => h(a).max(self.height_of_options(*o)),
            Expr::Call(id) => {
                let call = self.program.call(*id);
                let lambda = call.lambda.map_or(0, |l| self.height(l));
                h(&call.callee).max(self.height_of_list(call.args)).max(lambda)
            }
            Expr::Lambda(id) => {
                let lambda = self.program.lambda(*id);
                let returns = lambda.returns.map_or(0, |r| self.height(r));
                h(&lambda.body).max(self.height_of_params(lambda.params)).max(returns)
            }
            Expr::Resource { kind, bodies, .. } => {
                let bodies = self.program.bodies(*bodies).iter();
                let heights =
                    bodies.map(|b| h(&b.title).max(self.height_of_attributes(b.attributes)));
                h(kind).max(heights.max().unwrap_or(0))
            }
            Expr::ResourceDefaults { kind, attributes, .. }
            | Expr::ResourceOverride { resources: kind, attributes, .. } => {
                h(kind).max(self.height_of_attributes(*attributes))
            }
            Expr::Collect { kind, query, attributes, .. } => {
                h(kind).max(h(query)).max(self.height_of_attributes(*attributes))
            }
            Expr::Invariant { title, body } => h(title).max(h(body)),
            Expr::Definition(id) => self.height_of_definition(self.program.definition(*id)),
            Expr::Epp { params, body, .. } => h(body).max(self.height_of_params(*params)),
        }
    }

    fn height_of_definition(&self, definition: &Definition) -> u16 {
        let h = |id: ExprId| self.height(id);
        match definition {
            Definition::Class { params, body, .. } | Definition::Define { params, body, .. } => {
                h(*body).max(self.height_of_params(*params))
            }
            Definition::Function { params, returns, body, .. } => {
                h(*body).max(self.height_of_params(*params)).max(returns.map_or(0, h))
            }
            Definition::Node { matches, parent, body } => {
                h(*body).max(self.height_of_list(*matches)).max(parent.map_or(0, h))
            }
            Definition::TypeAlias { kind, .. } => h(*kind),
            Definition::TypeMapping { kind, mapping } => h(*kind).max(h(*mapping)),
            Definition::TypeDefinition { statements, .. } => {
                let statements = self.program.type_statements(*statements).iter();
                statements.map(|s| self.height_of_type_statement(&s.kind)).max().unwrap_or(0)
            }
        }
    }

    fn height_of_type_statement(&self, statement: &TypeStatementKind) -> u16 {
        let h = |id: ExprId| self.height(id);
        match statement {
            TypeStatementKind::Feature(feature) => {
                let settings = self.program.settings(feature.settings).iter();
                let values = settings.map(|s| h(s.value)).max().unwrap_or(0);
                values.max(feature.kind.map_or(0, h))
            }
            TypeStatementKind::Invariant { title, body, .. } => h(*body).max(title.map_or(0, h)),
            TypeStatementKind::Function { lambda, .. } => h(*lambda),
            TypeStatementKind::TitlePatterns { value, .. }
            | TypeStatementKind::Annotations { value, .. } => h(*value),
            TypeStatementKind::Abstract => 0,
        }
    }
}
