//! The SQL of a query: columns, joins, groups, order and pages.

use std::collections::BTreeSet;

use ordain_fleet_store::Value;
use serde_json::Value as Json;

use super::condition::Conditions;
use super::dialect::WantedFacts;
use super::{Context, Sql, Written, resource_counts};
use crate::entity::{Field, Stored, Type};
use crate::error::QueryError;
use crate::plan::{
    Comparison, Expr, Function, Group, Literal, MatchedValue, Order, Output, PathElement, Step,
};

pub(super) use crate::plan::Select;

/// The conversion of a column of the result to JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Decoder {
    /// Text, or a number.
    Plain,
    /// A boolean; an integer in SQLite.
    Boolean,
    /// Microseconds since 1970.
    Time,
    /// Bytes as hexadecimal.
    Hash,
    /// The id of an environment, as its name.
    Environment,
    /// JSON.
    Json,
    /// Two columns: the hash of a report and compressed JSON.
    Compressed,
    /// JSON: the name of a node and its facts.
    FactSet,
    /// JSON: a name, a part and its data.
    Part,
}

/// A statement with the columns of its result.
pub(crate) struct Statement {
    pub(crate) sql: String,
    pub(crate) parameters: Vec<Value>,
    /// The keys of the result, with their decoders, in order.
    pub(crate) columns: Vec<(String, Decoder)>,
}

/// The places of columns of an entity that differ from the table of entities.
#[derive(Default)]
pub(super) struct Scope {
    /// The columns for the name and the value of a fact.
    named_fact: Option<(&'static str, &'static str)>,
    /// Whether the rows are catalogs that know the number of their resources.
    counts_resources: bool,
    /// Whether the rows are catalogs without their nodes.
    pub(super) lacks_nodes: bool,
}

impl Scope {
    /// The SQL of a count of all rows.
    fn count(&self) -> Sql {
        Sql::text(if self.counts_resources { resource_counts::COUNT } else { "count(*)" })
    }

    pub(super) fn column(&self, context: Context, field: &Field) -> &'static str {
        match (self.named_fact, field.name) {
            (Some((name, _)), "name") => name,
            (Some((_, value)), "value") => value,
            _ => context.dialect.column(field.column),
        }
    }
}

/// The statement for a query.
pub(crate) fn statement(context: Context, select: &Select) -> Result<Statement, QueryError> {
    let (sql, parameters) = select_sql(context, select, Columns::Own)?.render()?;
    let mut columns: Vec<(String, Decoder)> = Vec::new();
    for output in &select.columns {
        let base = output.name();
        // A repeated column has a number in its key.
        let repeats = columns.iter().filter(|(name, _)| {
            name == base
                || name
                    .rsplit_once('_')
                    .is_some_and(|(start, n)| start == base && n.parse::<u32>().is_ok())
        });
        let name = match repeats.count() {
            0 => base.to_owned(),
            count => format!("{base}_{}", count + 1),
        };
        let decoder = match environment_id(select, output) {
            Some(_) => Decoder::Environment,
            None => decoder(output),
        };
        columns.push((name, decoder));
    }
    Ok(Statement { sql, parameters, columns })
}

/// The statement for the number of rows, without limit and offset.
pub(crate) fn count_statement(
    context: Context,
    select: &Select,
) -> Result<(String, Vec<Value>), QueryError> {
    let mut all = select.clone();
    (all.limit, all.offset, all.order_by) = (None, None, Vec::new());
    let is_plain = all.group_by.is_empty()
        && !all.entity.is_distinct
        && !all.columns.iter().any(|c| matches!(c, Output::Function(f) if f.is_aggregate()));
    if is_plain {
        return select_sql(context, &all, Columns::Count)?.render();
    }
    let inner = select_sql(context, &all, Columns::Own)?;
    Sql::format("SELECT count(*) FROM ({}) counted", [inner]).render()
}

/// The column with the id of an environment whose name is a column of the result, unless rows are
/// grouped by names.
fn environment_id(select: &Select, output: &Output) -> Option<&'static str> {
    let is_aggregate =
        |output: &Output| matches!(output, Output::Function(function) if function.is_aggregate());
    let is_grouped = !select.group_by.is_empty()
        || select.entity.is_distinct
        || select.columns.iter().any(is_aggregate);
    match output {
        Output::Field(field) if !is_grouped => field.environment_id,
        _ => None,
    }
}

fn decoder(output: &Output) -> Decoder {
    match output {
        Output::Field(field) => of_field(field),
        Output::Path { .. } => Decoder::Json,
        Output::Function(function) => match (function.name, function.argument) {
            ("min" | "max", Some(field)) if field.stored == Stored::Time => Decoder::Time,
            _ => Decoder::Plain,
        },
    }
}

fn of_field(field: &Field) -> Decoder {
    match field.stored {
        Stored::Text | Stored::Integer => Decoder::Plain,
        Stored::Boolean => Decoder::Boolean,
        Stored::Time => Decoder::Time,
        Stored::Hash => Decoder::Hash,
        Stored::Json => Decoder::Json,
        Stored::Compressed => Decoder::Compressed,
        Stored::FactSet => Decoder::FactSet,
        Stored::Part => Decoder::Part,
    }
}

/// The selection of a query.
pub(super) enum Columns {
    /// Its columns.
    Own,
    /// Its columns in another form.
    Converted(Vec<Sql>),
    /// The number of rows. Columns do not change it.
    Count,
}

/// The SQL of a query.
pub(super) fn select_sql(context: Context, select: &Select, columns: Columns) -> Written {
    let has_columns = !matches!(columns, Columns::Count);
    let (scope, from) = match &columns {
        Columns::Converted(_) => source(context, select),
        _ if resource_counts::apply(select, !has_columns) => {
            let lacks_nodes = !resource_counts::needs_nodes(select);
            let scope = Scope { counts_resources: true, lacks_nodes, ..Scope::default() };
            (scope, Sql::text(resource_counts::from(lacks_nodes)))
        }
        _ => source(context, select),
    };
    let writer = SelectWriter { context, scope: &scope, select };
    // The order needs an expression, which `DISTINCT` would not allow.
    let is_own = matches!(columns, Columns::Own);
    let is_distinct = select.entity.is_distinct && is_own;
    let columns = match columns {
        Columns::Own => select.columns.iter().map(|output| writer.own(output)).collect(),
        Columns::Converted(columns) => columns,
        Columns::Count => vec![scope.count()],
    };
    let mut sql = Sql::text("SELECT ");
    sql.append(Sql::join(columns, ", "));
    sql.push(" FROM ");
    sql.append(from);
    for join in writer.joins(has_columns, is_own) {
        sql.push(" ");
        sql.push(join);
    }
    let mut conditions = Vec::new();
    if scope.counts_resources {
        conditions.push(Sql::text(resource_counts::IS_COUNTED));
    }
    if let Some(filter) = &select.filter {
        conditions.push(Conditions { context, scope: &scope }.sql(filter)?);
    }
    if !conditions.is_empty() {
        sql.push(" WHERE ");
        sql.append(Sql::join(conditions, " AND "));
    }
    writer.group(&mut sql);
    if is_distinct && select.group_by.is_empty() {
        let positions = (1..=select.columns.len()).map(|at| Sql::text(at.to_string()));
        sql.push(" GROUP BY ");
        sql.append(Sql::join(positions, ", "));
    }
    writer.pages(&mut sql)?;
    Ok(sql)
}

/// The `FROM` clause, and where the columns are in it.
fn source(context: Context, select: &Select) -> (Scope, Sql) {
    match fact_names(select) {
        Some(names) => {
            let wanted = select.filter.as_ref().map_or(WantedFacts::All, wanted_facts);
            let facts = context.dialect.named_facts(&names, wanted);
            let named_fact = Some((facts.name, facts.value));
            (Scope { named_fact, ..Scope::default() }, facts.from)
        }
        None => (Scope::default(), Sql::text(context.dialect.column(select.entity.from))),
    }
}

/// The facts that a condition may find.
fn wanted_facts(filter: &Expr) -> WantedFacts<'_> {
    match filter {
        Expr::And(parts) => {
            let mut wanted = WantedFacts::All;
            for part in parts {
                match wanted_facts(part) {
                    WantedFacts::OfNode => return WantedFacts::OfNode,
                    WantedFacts::All => {}
                    equal @ WantedFacts::Equal(_) => wanted = equal,
                }
            }
            wanted
        }
        Expr::Compare { field, operator: Comparison::Equal, .. } if field.name == "certname" => {
            WantedFacts::OfNode
        }
        // Facts have one field of this type.
        Expr::ScalarCompare { operator: Comparison::Equal, value: Json::String(text), .. } => {
            WantedFacts::Equal(text)
        }
        _ => WantedFacts::All,
    }
}

/// The names to which a condition restricts facts.
fn fact_names(select: &Select) -> Option<Vec<&str>> {
    if select.entity.name != "facts" {
        return None;
    }
    let mut names = restricted_names(select.filter.as_ref()?)?;
    names.sort_unstable();
    names.dedup();
    // SQLite has no form for quotes in paths.
    let is_small = names.len() <= 200 && !names.iter().any(|name| name.contains('"'));
    is_small.then_some(names)
}

fn restricted_names(filter: &Expr) -> Option<Vec<&str>> {
    let text = |value: &'_ Literal| matches!(value, Literal::Text(_));
    match filter {
        Expr::And(parts) => parts.iter().find_map(restricted_names),
        Expr::Compare { field, operator: Comparison::Equal, value: Literal::Text(name) }
            if field.name == "name" =>
        {
            Some(vec![name])
        }
        Expr::OneOf { field, values } if field.name == "name" && values.iter().all(text) => {
            let texts = values.iter().map(|value| match value {
                Literal::Text(text) => text.as_str(),
                _ => "",
            });
            Some(texts.collect())
        }
        _ => None,
    }
}

struct SelectWriter<'a> {
    context: Context,
    scope: &'a Scope,
    select: &'a Select,
}

impl SelectWriter<'_> {
    fn column(&self, field: &Field) -> Sql {
        Sql::text(self.scope.column(self.context, field))
    }

    /// A column of the result.
    fn own(&self, output: &Output) -> Sql {
        environment_id(self.select, output).map_or_else(|| self.output(output), Sql::text)
    }

    fn output(&self, output: &Output) -> Sql {
        let dialect = self.context.dialect;
        match output {
            Output::Field(field) if field.stored == Stored::Compressed => {
                Sql::format("r.hash, {}", [self.column(field)])
            }
            Output::Field(field) => self.column(field),
            Output::Path { field, parts, .. } => {
                let path: Vec<_> = parts.iter().cloned().map(Step::Name).collect();
                dialect.at(self.column(field), &path)
            }
            Output::Function(function) => self.function(function),
        }
    }

    fn function(&self, function: &Function) -> Sql {
        let dialect = self.context.dialect;
        let Some(field) = function.argument else { return self.scope.count() };
        let column = self.column(field);
        match function.name {
            "to_string" => dialect.to_char(column, function.mask.as_deref().unwrap_or_default()),
            "jsonb_typeof" => dialect.type_of(column),
            name => {
                let argument = match (field.ty, field.stored) {
                    (Type::Scalar, _) if name != "count" => dialect.number(column),
                    (_, Stored::Hash) => dialect.hex(column),
                    (Type::Text, Stored::Text) if name != "count" => dialect.by_bytes(column),
                    _ => column,
                };
                Sql::format(&format!("{name}({{}})"), [argument])
            }
        }
    }

    /// The joins that the query needs; with `is_own` for columns of the result.
    fn joins(&self, has_columns: bool, is_own: bool) -> Vec<&'static str> {
        let mut needed: BTreeSet<&str> = BTreeSet::new();
        let entity = self.select.entity;
        if has_columns {
            for output in &self.select.columns {
                let field = match output {
                    _ if is_own && environment_id(self.select, output).is_some() => None,
                    Output::Field(field) | Output::Path { field, .. } => Some(*field),
                    Output::Function(function) => function.argument,
                };
                needed.extend(field.into_iter().flat_map(|field| field.joins));
            }
        }
        for group in &self.select.group_by {
            if let Group::Field(field) = group {
                needed.extend(field.joins);
            }
        }
        for term in &self.select.order_by {
            needed.extend(term.field.joins);
        }
        if let Some(filter) = &self.select.filter {
            filter.fields(&mut |field| {
                // Fields of subqueries have their own joins.
                needed.extend(field.joins);
            });
            if filter.reads_node() {
                needed.insert("n");
            }
        }
        if self.scope.counts_resources {
            needed.remove(resource_counts::JOINED);
        }
        let joins = entity.joins.iter();
        joins.filter(|join| needed.contains(join.alias)).map(|join| join.sql).collect()
    }

    fn group(&self, sql: &mut Sql) {
        for (at, group) in self.select.group_by.iter().enumerate() {
            sql.push(if at == 0 { " GROUP BY " } else { ", " });
            match group {
                Group::Field(field) => sql.append(self.column(field)),
                Group::Output(name) => {
                    let position =
                        self.select.columns.iter().position(|output| output.name() == name);
                    sql.push(&(position.unwrap_or(0) + 1).to_string());
                }
            }
        }
    }

    fn pages(&self, sql: &mut Sql) -> Result<(), QueryError> {
        let select = self.select;
        let has_groups = !select.group_by.is_empty()
            || select.columns.iter().any(|c| matches!(c, Output::Function(f) if f.is_aggregate()));
        for (at, term) in select.order_by.iter().enumerate() {
            let is_grouped =
                |group: &Group| matches!(group, Group::Field(f) if f.name == term.field.name);
            if has_groups && !select.group_by.iter().any(is_grouped) {
                let name = term.field.name;
                return Err(QueryError::bad_request(format!(
                    "column \"{name}\" must appear in the GROUP BY clause or be used in an aggregate function"
                )));
            }
            sql.push(if at == 0 { " ORDER BY " } else { ", " });
            sql.append(self.term(term));
        }
        if let Some(limit) = select.limit {
            sql.push(&format!(" LIMIT {limit}"));
        }
        if let Some(offset) = select.offset.filter(|offset| *offset > 0) {
            match select.limit {
                Some(_) => sql.push(" OFFSET "),
                None => sql.push(self.context.dialect.offset_only()),
            }
            sql.push(&offset.to_string());
        }
        Ok(())
    }

    /// Null is the largest value, as in PostgreSQL.
    fn term(&self, term: &Order) -> Sql {
        let dialect = self.context.dialect;
        let column = self.column(term.field);
        let key = match (term.field.stored, term.field.ty) {
            (Stored::Text, _) => dialect.by_bytes(column),
            (Stored::Json, _) => dialect.order_key(column),
            _ => column,
        };
        Sql::format(
            if term.is_descending { "{} DESC NULLS FIRST" } else { "{} ASC NULLS LAST" },
            [key],
        )
    }
}

/// Both sides of `in`, in forms that compare.
pub(super) fn compared(
    context: Context,
    scope: &Scope,
    outer: &Field,
    select: &Select,
    output: &Output,
) -> (Sql, Sql) {
    let dialect = context.dialect;
    let outer_column = Sql::text(scope.column(context, outer));
    let (inner_scope, _) = source(context, select);
    let writer = SelectWriter { context, scope: &inner_scope, select };
    let inner_column = writer.output(output);
    let is_path = |field: &Field| matches!(field.ty, Type::EncodedPath | Type::PathArray);
    let inner = match output {
        Output::Field(field) => field,
        _ => {
            let is_json = matches!(output, Output::Path { .. });
            let inner = if is_json { dialect.json_text(inner_column) } else { inner_column };
            return (as_text(context, outer, outer_column), inner);
        }
    };
    if is_path(outer) && is_path(inner) {
        return (Sql::text("p.path"), Sql::text("p.path"));
    }
    match (outer.stored, inner.stored) {
        (Stored::Json, Stored::Json) => {
            (dialect.comparable(outer_column), dialect.comparable(inner_column))
        }
        (Stored::Json, Stored::Text) => {
            (dialect.comparable(outer_column), dialect.quote(inner_column))
        }
        (a, b) if a == b => (outer_column, inner_column),
        _ => (as_text(context, outer, outer_column), as_text(context, inner, inner_column)),
    }
}

/// A column as text.
fn as_text(context: Context, field: &Field, column: Sql) -> Sql {
    let dialect = context.dialect;
    match field.stored {
        Stored::Text => column,
        Stored::Hash => dialect.hex(column),
        Stored::Json => dialect.json_text(column),
        _ => dialect.as_text(column, field.stored == Stored::Boolean),
    }
}

impl Expr {
    /// The regular expressions of the condition itself.
    pub(super) fn patterns(&self) -> Vec<&str> {
        match self {
            Expr::Regex { pattern, .. }
            | Expr::ScalarRegex { pattern, .. }
            | Expr::JsonRegex { pattern, .. }
            | Expr::MemberRegex { pattern, .. }
            | Expr::PathRegex { pattern, .. }
            | Expr::EncodedPathRegex { pattern } => vec![pattern],
            Expr::MatchedPath { pattern, condition: MatchedValue::Regex(value) } => {
                vec![pattern, value]
            }
            Expr::MatchedPath { pattern, .. } => vec![pattern],
            Expr::PathElements { elements } => {
                let patterns = elements.iter().map(|element| match element {
                    PathElement::Pattern { pattern, .. } | PathElement::Index(pattern) => {
                        pattern.as_str()
                    }
                });
                patterns.collect()
            }
            _ => Vec::new(),
        }
    }

    /// Whether the condition itself reads columns of the node that no field has.
    fn reads_node(&self) -> bool {
        match self {
            Expr::And(parts) | Expr::Or(parts) => parts.iter().any(Expr::reads_node),
            Expr::Not(part) => part.reads_node(),
            Expr::NodeState(_) | Expr::IsLatestReport { .. } => true,
            _ => false,
        }
    }

    /// Whether the condition reads only these fields, and perhaps the state of the node.
    pub(super) fn reads_only(&self, names: &[&str]) -> bool {
        let is_named = |field: &Field| names.contains(&field.name);
        match self {
            Expr::And(parts) | Expr::Or(parts) => parts.iter().all(|part| part.reads_only(names)),
            Expr::Not(part) => part.reads_only(names),
            Expr::InSelect { fields, .. } => fields.iter().all(|field| is_named(field)),
            Expr::Compare { field, .. }
            | Expr::OneOf { field, .. }
            | Expr::Regex { field, .. }
            | Expr::Null { field, .. } => is_named(field),
            Expr::False | Expr::NodeState(_) => true,
            _ => false,
        }
    }

    /// Calls a function with each field that the condition reads itself.
    pub(super) fn fields(&self, call: &mut impl FnMut(&'static Field)) {
        match self {
            Expr::And(parts) | Expr::Or(parts) => {
                for part in parts {
                    part.fields(call);
                }
            }
            Expr::Not(part) => part.fields(call),
            Expr::InSelect { fields, .. } => fields.iter().for_each(|field| call(field)),
            // An environment is found by its id.
            Expr::Compare { field, operator: Comparison::Equal, .. }
                if field.environment_id.is_some() => {}
            // Tags are found by their set.
            Expr::HasMember { field, .. } | Expr::MemberRegex { field, .. }
                if field.name == "tags" => {}
            Expr::Compare { field, .. }
            | Expr::OneOf { field, .. }
            | Expr::Regex { field, .. }
            | Expr::ScalarCompare { field, .. }
            | Expr::ScalarOneOf { field, .. }
            | Expr::ScalarRegex { field, .. }
            | Expr::JsonEqual { field, .. }
            | Expr::JsonRegex { field, .. }
            | Expr::TypeOf { field, .. }
            | Expr::HasMember { field, .. }
            | Expr::MemberRegex { field, .. }
            | Expr::Contains { field, .. }
            | Expr::LooseEqual { field, .. }
            | Expr::PathCompare { field, .. }
            | Expr::PathRegex { field, .. }
            | Expr::PathNull { field, .. }
            | Expr::Null { field, .. } => call(field),
            _ => {}
        }
    }
}
