//! The name and the parts of each node of the tree.

use ordain_source::TextRange;
use ordain_syntax::ListRef;

use crate::ast::*;
use crate::pn::big_integer;

/// A node: an expression, or a part that is not an expression.
#[derive(Clone, Copy)]
pub(super) enum Item {
    Expr(ExprId),
    Param(usize, ListRef<Param>),
    Attribute(usize, ListRef<Attribute>),
    Body(usize, ListRef<ResourceBody>),
    CaseOption(usize, ListRef<CaseOption>),
    SelectorEntry(usize, ListRef<CaseOption>),
    Entry(ExprId, ExprId),
    Statement(usize, ListRef<TypeStatement>),
    Setting(usize, ListRef<Setting>),
}

/// A part of a node.
pub(super) enum Field {
    Text(String),
    Bool(bool),
    Int(i64),
    Float(f64),
    One(Item),
    Many(Vec<Item>),
}

/// A node with its parts, in the order of the text where there is one.
pub(super) struct View {
    pub(super) kind: &'static str,
    pub(super) range: TextRange,
    pub(super) fields: Vec<(&'static str, Field)>,
}

type Fields = Vec<(&'static str, Field)>;

fn text(text: &str) -> Field {
    Field::Text(text.to_owned())
}

fn one(id: ExprId) -> Field {
    Field::One(Item::Expr(id))
}

fn many<T>(list: ListRef<T>, item: impl Fn(usize, ListRef<T>) -> Item) -> Field {
    Field::Many((0..list.len()).map(|i| item(i, list)).collect())
}

fn form(form: ResourceForm) -> Field {
    text(match form {
        ResourceForm::Regular => "regular",
        ResourceForm::Virtual => "virtual",
        ResourceForm::Exported => "exported",
    })
}

/// The parts of a node.
pub(super) fn view(program: &Program, item: Item) -> View {
    match item {
        Item::Expr(id) => Viewer { program }.expr(id),
        Item::Param(i, list) => param(&program.params(list)[i]),
        Item::Attribute(i, list) => attribute(&program.attributes(list)[i]),
        Item::Body(i, list) => {
            let body = &program.bodies(list)[i];
            let attributes = many(body.attributes, Item::Attribute);
            let fields = vec![("title", one(body.title)), ("attributes", attributes)];
            View { kind: "resource-body", range: body.range, fields }
        }
        Item::CaseOption(i, list) => {
            let option = &program.options(list)[i];
            let values = Viewer { program }.exprs(option.values);
            let fields = vec![("values", values), ("then", one(option.then))];
            View { kind: "case-option", range: option.range, fields }
        }
        Item::SelectorEntry(i, list) => {
            let option = &program.options(list)[i];
            let mut fields = Fields::new();
            fields.extend(program.list(option.values).first().map(|&v| ("value", one(v))));
            fields.push(("then", one(option.then)));
            View { kind: "selector-entry", range: option.range, fields }
        }
        Item::Statement(i, list) => {
            Viewer { program }.type_statement(&program.type_statements(list)[i])
        }
        Item::Setting(i, list) => {
            let setting = &program.settings(list)[i];
            let range = setting.name_range.cover(setting.value_range);
            let fields = vec![("name", text(&setting.name)), ("value", one(setting.value))];
            View { kind: "setting", range, fields }
        }
        Item::Entry(key, value) => {
            let range = program.range(key).cover(program.range(value));
            let fields = vec![("key", one(key)), ("value", one(value))];
            View { kind: "hash-entry", range, fields }
        }
    }
}

fn param(param: &Param) -> View {
    let mut fields = vec![("name", text(&param.name))];
    fields.extend(param.kind.map(|kind| ("type", one(kind))));
    if param.captures_rest {
        fields.push(("captures_rest", Field::Bool(true)));
    }
    fields.extend(param.default.map(|default| ("default", one(default))));
    View { kind: "parameter", range: param.range, fields }
}

fn attribute(attribute: &Attribute) -> View {
    let operator = match attribute.op {
        AttributeOp::Set | AttributeOp::Splat => "=>",
        AttributeOp::Append => "+>",
    };
    let fields = vec![
        ("name", text(&attribute.name)),
        ("operator", text(operator)),
        ("value", one(attribute.value)),
    ];
    View { kind: "attribute", range: attribute.range, fields }
}

struct Viewer<'p> {
    program: &'p Program,
}

impl Viewer<'_> {
    fn exprs(&self, list: ExprList) -> Field {
        Field::Many(self.program.list(list).iter().map(|&id| Item::Expr(id)).collect())
    }

    /// Adds a part unless it is missing.
    fn present(&self, fields: &mut Fields, name: &'static str, id: ExprId) {
        if !matches!(self.program[id], Expr::Nop) {
            fields.push((name, one(id)));
        }
    }

    fn expr(&self, id: ExprId) -> View {
        let (kind, fields) = self.simple(id).unwrap_or_else(|| self.compound(&self.program[id]));
        View { kind, range: self.program.range(id), fields }
    }

    /// Literals, names and operators.
    fn simple(&self, id: ExprId) -> Option<(&'static str, Fields)> {
        Some(match &self.program[id] {
            Expr::Error => ("error", vec![]),
            Expr::Nop => ("nop", vec![]),
            Expr::Undef => ("undef", vec![]),
            Expr::Default => ("default", vec![]),
            Expr::Bool(value) => ("boolean", vec![("value", Field::Bool(*value))]),
            Expr::Int { value, radix } => ("integer", self.integer(id, *value, *radix)),
            Expr::Float(value) => ("float", vec![("value", Field::Float(*value))]),
            Expr::Str(value) => ("string", vec![("value", text(value))]),
            Expr::Name(name) => ("name", vec![("name", text(name))]),
            Expr::Ref(name) => ("type-name", vec![("name", text(name))]),
            Expr::Reserved(word) => ("reserved-word", vec![("name", text(word))]),
            Expr::Regex(value) => ("regex", vec![("value", text(value))]),
            Expr::Var(name) => ("variable", vec![("name", text(name))]),
            Expr::RenderText(value) => ("render-text", vec![("value", text(value))]),
            Expr::Text(inner) => ("interpolation", vec![("value", one(*inner))]),
            Expr::Not(inner) => ("not", vec![("value", one(*inner))]),
            Expr::Minus(inner) => ("negate", vec![("value", one(*inner))]),
            Expr::Splat(inner) => ("splat", vec![("value", one(*inner))]),
            Expr::Paren(inner) => ("parentheses", vec![("value", one(*inner))]),
            Expr::Render(inner) => ("render", vec![("value", one(*inner))]),
            Expr::Binary { op, left, right } => operator("binary", op.sign(), *left, *right),
            Expr::And(left, right) => operator("binary", "and", *left, *right),
            Expr::Or(left, right) => operator("binary", "or", *left, *right),
            Expr::Assign { op, left, right } => operator("assign", op.sign(), *left, *right),
            Expr::Relation { arrow, left, right } => {
                operator("relation", arrow.sign(), *left, *right)
            }
            Expr::Dot(left, right) => operator("dot", ".", *left, *right),
            _ => return None,
        })
    }

    /// An integer; one out of range is written as text.
    fn integer(&self, id: ExprId, value: i64, radix: u8) -> Fields {
        match radix {
            0 => {
                vec![("value", Field::Text(big_integer(self.program.text(self.program.range(id)))))]
            }
            10 => vec![("value", Field::Int(value))],
            _ => vec![("value", Field::Int(value)), ("radix", Field::Int(i64::from(radix)))],
        }
    }

    fn compound(&self, expr: &Expr) -> (&'static str, Fields) {
        match *expr {
            Expr::Concat(parts) => ("interpolated-string", vec![("parts", self.exprs(parts))]),
            Expr::Heredoc { ref syntax, text: inner } => {
                let mut fields = Fields::new();
                if !syntax.is_empty() {
                    fields.push(("syntax", text(syntax)));
                }
                fields.push(("text", one(inner)));
                ("heredoc", fields)
            }
            Expr::List(list) => ("array", vec![("values", self.exprs(list))]),
            Expr::Hash(list) => {
                let pairs = self.program.list(list).chunks_exact(2);
                let entries = pairs.map(|p| Item::Entry(p[0], p[1])).collect();
                ("hash", vec![("entries", Field::Many(entries))])
            }
            Expr::Access(list) => ("access", self.access(list)),
            Expr::Block(list) => ("block", vec![("statements", self.exprs(list))]),
            Expr::If(test, then, other) => ("if", self.condition(test, then, other)),
            Expr::Unless(test, then, other) => ("unless", self.condition(test, then, other)),
            Expr::Case(test, options) => {
                let options = many(options, Item::CaseOption);
                ("case", vec![("test", one(test)), ("options", options)])
            }
            Expr::Selector(test, options) => {
                let options = many(options, Item::SelectorEntry);
                ("selector", vec![("test", one(test)), ("options", options)])
            }
            Expr::Call(call) => self.call(self.program.call(call)),
            Expr::Lambda(lambda) => ("lambda", self.lambda(self.program.lambda(lambda))),
            Expr::Definition(id) => self.definition(self.program.definition(id)),
            Expr::Epp { has_params, params, body } => {
                let mut fields = Fields::new();
                if has_params {
                    fields.push(("parameters", many(params, Item::Param)));
                }
                self.present(&mut fields, "body", body);
                ("template", fields)
            }
            _ => self.resource(expr),
        }
    }

    fn resource(&self, expr: &Expr) -> (&'static str, Fields) {
        match *expr {
            Expr::Resource { form: written, kind, bodies } => {
                let bodies = many(bodies, Item::Body);
                ("resource", vec![("form", form(written)), ("type", one(kind)), ("bodies", bodies)])
            }
            Expr::ResourceDefaults { form: written, kind, attributes } => {
                let attributes = many(attributes, Item::Attribute);
                let fields =
                    vec![("form", form(written)), ("type", one(kind)), ("attributes", attributes)];
                ("resource-defaults", fields)
            }
            Expr::ResourceOverride { form: written, resources, attributes } => {
                let attributes = many(attributes, Item::Attribute);
                let resources = ("resources", one(resources));
                let fields = vec![("form", form(written)), resources, ("attributes", attributes)];
                ("resource-override", fields)
            }
            Expr::Collect { exported, kind, query, attributes } => {
                let mut fields = vec![("exported", Field::Bool(exported)), ("type", one(kind))];
                self.present(&mut fields, "query", query);
                fields.push(("attributes", many(attributes, Item::Attribute)));
                ("collector", fields)
            }
            Expr::Invariant { title, body } => {
                let mut fields = Fields::new();
                self.present(&mut fields, "title", title);
                self.present(&mut fields, "body", body);
                ("invariant", fields)
            }
            _ => ("nop", vec![]),
        }
    }

    fn access(&self, list: ExprList) -> Fields {
        let Some((&target, keys)) = self.program.list(list).split_first() else { return vec![] };
        let keys = keys.iter().map(|&id| Item::Expr(id)).collect();
        vec![("target", one(target)), ("keys", Field::Many(keys))]
    }

    fn condition(&self, test: ExprId, then: ExprId, other: ExprId) -> Fields {
        let mut fields = vec![("test", one(test))];
        self.present(&mut fields, "then", then);
        self.present(&mut fields, "else", other);
        fields
    }

    fn call(&self, call: &Call) -> (&'static str, Fields) {
        let args = self.program.list(call.args);
        let (receiver, args) = match (call.form, args.split_first()) {
            (CallForm::Method, Some((&receiver, rest))) => (Some(receiver), rest),
            _ => (None, args),
        };
        let mut fields = Fields::new();
        fields.extend(receiver.map(|receiver| ("receiver", one(receiver))));
        fields.push(("function", one(call.callee)));
        let args = args.iter().map(|&id| Item::Expr(id)).collect();
        fields.push(("arguments", Field::Many(args)));
        fields.extend(call.lambda.map(|lambda| ("lambda", one(lambda))));
        fields.push(("value_used", Field::Bool(call.rvalue)));
        (if receiver.is_some() { "method-call" } else { "call" }, fields)
    }

    fn lambda(&self, lambda: &Lambda) -> Fields {
        let mut fields = vec![("parameters", many(lambda.params, Item::Param))];
        fields.extend(lambda.returns.map(|returns| ("returns", one(returns))));
        self.present(&mut fields, "body", lambda.body);
        fields
    }

    fn definition(&self, definition: &Definition) -> (&'static str, Fields) {
        match definition {
            Definition::Class { name, params, parent, body } => {
                let mut fields = vec![("name", text(name))];
                fields.extend(parent.as_ref().map(|parent| ("parent", text(parent))));
                fields.push(("parameters", many(*params, Item::Param)));
                self.present(&mut fields, "body", *body);
                ("class", fields)
            }
            Definition::Define { name, params, body } => {
                let mut fields =
                    vec![("name", text(name)), ("parameters", many(*params, Item::Param))];
                self.present(&mut fields, "body", *body);
                ("define", fields)
            }
            Definition::Function { name, params, returns, body, is_plan } => {
                let mut fields =
                    vec![("name", text(name)), ("parameters", many(*params, Item::Param))];
                fields.extend(returns.map(|returns| ("returns", one(returns))));
                self.present(&mut fields, "body", *body);
                (if *is_plan { "plan" } else { "function" }, fields)
            }
            Definition::Node { matches, parent, body } => {
                let mut fields = vec![("matches", self.exprs(*matches))];
                fields.extend(parent.map(|parent| ("parent", one(parent))));
                self.present(&mut fields, "body", *body);
                ("node", fields)
            }
            Definition::TypeAlias { name, kind } => {
                ("type-alias", vec![("name", text(name)), ("type", one(*kind))])
            }
            Definition::TypeMapping { kind, mapping } => {
                ("type-mapping", vec![("type", one(*kind)), ("mapping", one(*mapping))])
            }
            Definition::TypeDefinition { name, parent, statements, .. } => {
                let mut fields = vec![("name", text(name))];
                fields.extend(parent.as_ref().map(|parent| ("parent", text(parent))));
                fields.push(("statements", many(*statements, Item::Statement)));
                ("type-definition", fields)
            }
        }
    }

    fn type_statement(&self, statement: &TypeStatement) -> View {
        let range = statement.range;
        match &statement.kind {
            TypeStatementKind::Abstract => View { kind: "abstract", range, fields: vec![] },
            TypeStatementKind::Function { name, lambda, .. } => {
                let fields = vec![("name", text(name)), ("lambda", one(*lambda))];
                View { kind: "function", range, fields }
            }
            TypeStatementKind::TitlePatterns { value, .. } => {
                View { kind: "title-patterns", range, fields: vec![("value", one(*value))] }
            }
            TypeStatementKind::Annotations { value, .. } => {
                View { kind: "annotations", range, fields: vec![("value", one(*value))] }
            }
            TypeStatementKind::Invariant { title, body, .. } => {
                let mut fields = Fields::new();
                fields.extend(title.map(|title| ("title", one(title))));
                self.present(&mut fields, "body", *body);
                View { kind: "invariant", range, fields }
            }
            TypeStatementKind::Feature(feature) => {
                let mut fields = vec![("name", text(&feature.name))];
                fields.extend(feature.kind.map(|kind| ("type", one(kind))));
                fields.push(("settings", many(feature.settings, Item::Setting)));
                View { kind: if feature.is_reference { "has" } else { "attr" }, range, fields }
            }
        }
    }
}

fn operator(
    kind: &'static str,
    sign: &'static str,
    left: ExprId,
    right: ExprId,
) -> (&'static str, Fields) {
    (kind, vec![("operator", text(sign)), ("left", one(left)), ("right", one(right))])
}
