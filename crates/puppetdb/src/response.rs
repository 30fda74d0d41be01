//! Answers requests from the database.

use std::io;
use std::ops::ControlFlow;
use std::time::Duration;

use ordain_fleet_store::{Connection, Database, FleetStoreError, Value as Column, now};
use ordain_functions::digest;
use serde_json::{Value, json};

use crate::check::{check, clause, shown};
use crate::entity::{Entity, entity, subquery_entity};
use crate::error::QueryError;
use crate::plan::{Comparison, Expr, PageClauses, Select, order_terms, page_clauses, select};
use crate::request::{Options, QueryRequest, options};
use crate::routes::{Parent, Route, Shape, add_condition, names_node_state, route};
use crate::rows::Columns;
use crate::sql::counts::{COUNTS, Counts, Summary, aggregate};
use crate::sql::{Context, Statement, count_statement, dialect, statement};
use crate::sqlite::take_refusal;

/// The number of bytes that are written at once.
const CHUNK: usize = 32 << 10;

/// The settings for answers.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// For how long deactivated nodes are shown as inactive.
    pub node_purge_ttl: Duration,
    /// The time limit of a query; a request may set a lower one.
    pub timeout: Option<Duration>,
}

impl Default for Settings {
    /// PuppetDB's defaults: 14 days, 10 minutes.
    fn default() -> Self {
        Settings {
            node_purge_ttl: Duration::from_secs(14 * 86_400),
            timeout: Some(Duration::from_secs(600)),
        }
    }
}

/// The headers of an answer. The status is 200, the content type JSON in UTF-8.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ResponseHead {
    /// The header `X-Records`: the number of rows without paging, if the request asks for it.
    pub records: Option<u64>,
}

/// The receiver of an answer.
pub trait ResponseWriter {
    /// Starts the answer. Called once, before any bytes are written.
    ///
    /// # Errors
    ///
    /// When the client disconnected.
    fn begin(&mut self, head: ResponseHead) -> io::Result<()>;

    /// Writes a part of the body.
    ///
    /// # Errors
    ///
    /// When the client disconnected.
    fn write(&mut self, bytes: &[u8]) -> io::Result<()>;
}

/// An answer in memory.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Response {
    /// The headers.
    pub head: ResponseHead,
    /// JSON.
    pub body: Vec<u8>,
}

impl ResponseWriter for Response {
    fn begin(&mut self, head: ResponseHead) -> io::Result<()> {
        self.head = head;
        Ok(())
    }

    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.body.extend_from_slice(bytes);
        Ok(())
    }
}

/// Answers a request. Streams the rows, so memory use does not depend on their number. The call
/// blocks.
///
/// # Errors
///
/// The status and the text for the client, if the answer has not begun. Otherwise the answer is
/// incomplete, and the caller should close the connection.
pub fn answer(
    database: &dyn Database,
    settings: &Settings,
    request: &QueryRequest,
    output: &mut dyn ResponseWriter,
) -> Result<(), QueryError> {
    let route = route(&request.segments)?;
    let mut options = options(request, route.accepted)?;
    let is_root = route.entity.is_none();
    let mut query = full_query(&route, options.query.take());
    if options.ast_only && is_root {
        plan(&mut query.clone(), &route, &options, settings, database.dialect())?;
        return write_all(output, &query.to_string());
    }
    let limit = time_limit(settings, &options);
    let planned = plan(&mut query, &route, &options, settings, database.dialect());
    // An earlier query on this thread may have left one.
    let _old = take_refusal();
    let mut writer = Writer::new(output, options.pretty);
    let mut failure = None;
    let result = database.read(limit, &mut |connection| {
        let outcome = run(connection, &route, &options, &planned, &mut writer);
        if let Err(error) = outcome {
            failure = Some(error);
        }
        Ok(())
    });
    if let Some(error) = failure {
        return Err(error);
    }
    result.map_err(|error| from_store(&error))
}

/// The time limit of a request: its own one, but at most that of the settings.
fn time_limit(settings: &Settings, options: &Options) -> Option<Duration> {
    // Zero means that the request sets no limit.
    let own = options
        .timeout
        .filter(|seconds| *seconds > 0.0)
        .map(|seconds| Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX));
    match (own, settings.timeout) {
        (Some(own), Some(limit)) => Some(own.min(limit)),
        (own, limit) => own.or(limit),
    }
}

/// `["from", entity, query]`, with the conditions from the path and the one for active nodes.
fn full_query(route: &Route, query: Value) -> Value {
    let mut query = query;
    for restriction in &route.restrictions {
        query = add_condition(query, restriction.clone());
    }
    match route.entity {
        None => query,
        Some(entity) if query.is_null() => json!(["from", entity]),
        Some(entity) => json!(["from", entity, query]),
    }
}

/// The SQL of a request and its parameters, without a database.
#[cfg(test)]
pub(crate) fn compile(
    request: &QueryRequest,
    target: ordain_fleet_store::Dialect,
) -> Result<(String, Vec<Column>), QueryError> {
    let route = route(&request.segments)?;
    let mut options = options(request, route.accepted)?;
    let mut query = full_query(&route, options.query.take());
    let Planned { statement, .. } =
        plan(&mut query, &route, &options, &Settings::default(), target)?;
    Ok((statement.sql, statement.parameters))
}

/// A statement and the decoders of its columns.
struct Planned {
    statement: Statement,
    /// The statement for the number of rows.
    count: Option<(String, Vec<Column>)>,
}

const INITIAL: &str = "Your initial query must be of the form: [\"from\",<entity>,(<optional-query>)]. \
     Check your query and try again.";

/// The parts of `["from", entity, query, clauses…]`.
fn parse_from(query: &Value) -> Result<(&str, Value, &[Value]), QueryError> {
    let Some(("from", [Value::String(name), rest @ ..])) = clause(query) else {
        return Err(QueryError::bad_request(INITIAL));
    };
    let is_page = |node: &Value| {
        clause(node).is_some_and(|(op, _)| matches!(op, "limit" | "offset" | "order_by"))
    };
    match rest {
        [] => Ok((name, Value::Null, &[])),
        [first, ..] if is_page(first) => Ok((name, Value::Null, rest)),
        [_, pages @ ..] if !pages.iter().all(is_page) => Err(QueryError::bad_request(INITIAL)),
        [first @ Value::Array(_), pages @ ..] => Ok((name, first.clone(), pages)),
        _ => Err(QueryError::bad_request(
            "Your `from` query accepts an optional query only as a second argument. Check your query and try again.",
        )),
    }
}

/// Wraps the condition of `extract` in `and`, to which the condition for active nodes is added.
/// PuppetDB's messages differ inside `and`.
fn join_condition(query: &mut Value) {
    let is_extract = clause(query).is_some_and(|(operator, _)| operator == "extract");
    let Some(condition) = query.get_mut(2).filter(|_| is_extract) else { return };
    if condition.is_array() && clause(condition).is_none_or(|(operator, _)| operator != "group_by")
    {
        *condition = json!(["and", condition.take()]);
    }
}

fn top_entity(name: &str, options: &Options) -> Result<&'static Entity, QueryError> {
    let name = name.replace('-', "_");
    let special = match name.as_str() {
        "nodes" if options.include_facts_expiration => "nodes_with_fact_expiration",
        "factsets" if options.include_package_inventory => "factsets_with_packages",
        "fact_names" | "report_logs" | "report_metrics" => name.as_str(),
        _ => return subquery_entity(&name),
    };
    entity(special)
        .ok_or_else(|| QueryError::bad_request(format!("Invalid entity '{name}' in query")))
}

fn plan(
    query: &mut Value,
    route: &Route,
    options: &Options,
    settings: &Settings,
    target: ordain_fleet_store::Dialect,
) -> Result<Planned, QueryError> {
    let (name, mut inner, pages) = parse_from(query)?;
    let kept = i64::try_from(settings.node_purge_ttl.as_micros()).unwrap_or(i64::MAX);
    let context = Context { dialect: dialect(target), inactive_since: now().saturating_sub(kept) };
    let entity = top_entity(name, options)?;
    let names_state = names_node_state(&inner);
    if inner.as_array().is_some_and(Vec::is_empty) && route.entity.is_some() {
        return Err(QueryError::bad_request(
            "[] is not well-formed: queries must contain at least one operator",
        ));
    }
    let all_states = ["fact_paths", "environments", "packages"].contains(&entity.name);
    let is_restricted = route.active_only && !names_state && !all_states;
    if is_restricted {
        join_condition(&mut inner);
    }
    check(entity, &mut inner)?;
    let mut select = select(entity, &inner)?;
    if is_restricted {
        select.restrict_to_active_nodes();
    }
    if let Some((start, end)) = options.distinct {
        select.restrict(Expr::LastChange { start, end });
    }
    match route.shape {
        Shape::Counts => counts(select, context, options),
        Shape::Aggregates => aggregates(select, context, options),
        _ => {
            let terms = options.order_by.iter().map(|(name, down)| (name.as_str(), *down));
            let mut order_by = order_terms(entity, terms.collect())?;
            if route.shape == Shape::Values && order_by.is_empty() {
                order_by = order_terms(entity, vec![("name", false)])?;
            }
            select.paginate(PageClauses { limit: options.limit, offset: options.offset, order_by });
            select.paginate(page_clauses(entity, pages)?);
            let count =
                if options.include_total { Some(count_statement(context, &select)?) } else { None };
            Ok(Planned { statement: statement(context, &select)?, count })
        }
    }
}

/// The query for counts with one value of `summarize_by`.
fn counted(select: Select, by: &str, options: &Options) -> Result<Counts, QueryError> {
    let by = Summary::parse(by)?;
    let count_nodes = match options.count_by.as_deref() {
        None | Some("resource") => false,
        Some("certname") => true,
        Some(other) => {
            return Err(QueryError::bad_request(format!(
                "Unsupported value for 'count_by': '{other}'"
            )));
        }
    };
    let mut counts = Counts {
        events: select,
        by,
        count_nodes,
        filter: counts_filter(&options.counts_filter)?,
        order_by: Vec::new(),
        limit: options.limit,
        offset: options.offset,
    };
    let known = counts.orderable();
    for (name, is_descending) in &options.order_by {
        let Some(name) = known.iter().find(|known| *known == name) else {
            let known = crate::check::names(known.into_iter());
            return Err(QueryError::bad_request(format!(
                "Unrecognized column '{name}' specified in :order_by; Supported columns are '{known}'"
            )));
        };
        counts.order_by.push((name, *is_descending));
    }
    Ok(counts)
}

/// `[operator, count, number]`.
fn counts_filter(filter: &Value) -> Result<Option<(&'static str, Comparison, i64)>, QueryError> {
    if filter.is_null() {
        return Ok(None);
    }
    let Some((operator, operands)) = clause(filter) else {
        return Err(QueryError::bad_request(format!("{} is not a valid query", shown(filter))));
    };
    let Some(comparison) = Comparison::parse(operator) else {
        return Err(QueryError::bad_request(format!(
            "{} is not well-formed: query operator '{operator}' is unknown",
            shown(filter)
        )));
    };
    let [name, value] = operands else {
        let given = operands.len();
        return Err(QueryError::bad_request(format!(
            "{operator} requires exactly two arguments, but {given} were supplied"
        )));
    };
    let name = shown(name);
    let Some(count) = COUNTS.iter().find(|count| **count == name.replace('-', "_")) else {
        return Err(QueryError::bad_request(if operator == "=" {
            format!("{name} is not a queryable object for event counts")
        } else {
            format!("{operator} operator does not support object '{name}' for event counts")
        }));
    };
    match value.as_i64() {
        Some(number) => Ok(Some((count, comparison, number))),
        None => Err(QueryError::bad_request(format!("{} is not a count", shown(value)))),
    }
}

fn counts(select: Select, context: Context, options: &Options) -> Result<Planned, QueryError> {
    let by = options.summarize_by.as_deref().unwrap_or_default();
    let counts = counted(select, by, options)?;
    let total = if options.include_total { Some(counts.count_statement(context)?) } else { None };
    Ok(Planned { statement: counts.statement(context)?, count: total })
}

fn aggregates(select: Select, context: Context, options: &Options) -> Result<Planned, QueryError> {
    let by = options.summarize_by.as_deref().unwrap_or_default();
    let counts = by.split(',').map(|by| counted(select.clone(), by, options));
    let counts = counts.collect::<Result<Vec<_>, _>>()?;
    Ok(Planned { statement: aggregate(context, &counts)?, count: None })
}

/// Buffers the answer, and starts it with the first chunk.
struct Writer<'a> {
    output: &'a mut dyn ResponseWriter,
    head: ResponseHead,
    has_begun: bool,
    is_pretty: bool,
    buffer: String,
}

fn client_is_gone(_: io::Error) -> QueryError {
    QueryError { status: 499, body: "the client closed the connection".into(), is_json: false }
}

impl<'a> Writer<'a> {
    fn new(output: &'a mut dyn ResponseWriter, is_pretty: bool) -> Self {
        Writer {
            output,
            head: ResponseHead::default(),
            has_begun: false,
            is_pretty,
            buffer: String::new(),
        }
    }

    fn flush(&mut self) -> Result<(), QueryError> {
        if !self.has_begun {
            self.has_begun = true;
            self.output.begin(self.head).map_err(client_is_gone)?;
        }
        self.output.write(self.buffer.as_bytes()).map_err(client_is_gone)?;
        self.buffer.clear();
        Ok(())
    }

    /// Pretty-prints the JSON that begins at a position of the buffer.
    fn lay_out(&mut self, start: usize) {
        if !self.is_pretty {
            return;
        }
        let pretty = serde_json::from_str::<Value>(&self.buffer[start..])
            .and_then(|value| serde_json::to_string_pretty(&value));
        if let Ok(pretty) = pretty {
            self.buffer.truncate(start);
            self.buffer.push_str(&pretty);
        }
    }
}

fn write_all(output: &mut dyn ResponseWriter, body: &str) -> Result<(), QueryError> {
    output.begin(ResponseHead::default()).map_err(client_is_gone)?;
    output.write(body.as_bytes()).map_err(client_is_gone)
}

fn run(
    connection: &mut dyn Connection,
    route: &Route,
    options: &Options,
    planned: &Result<Planned, QueryError>,
    writer: &mut Writer<'_>,
) -> Result<(), QueryError> {
    for parent in &route.parents {
        if !exists(connection, parent)? {
            return Err(QueryError::not_found(parent.kind, &parent.name));
        }
    }
    let Planned { statement, count } = planned.as_ref().map_err(Clone::clone)?;
    if options.explain {
        return explain(connection, statement, writer);
    }
    if let Some((sql, parameters)) = count {
        let total = connection.value(sql, parameters).map_err(|e| from_store(&e))?;
        let total = total.as_ref().and_then(|total| total.integer().ok());
        writer.head.records = total.and_then(|total| u64::try_from(total).ok());
    }
    match route.shape {
        Shape::Single(kind) => single(connection, statement, kind, route, writer),
        Shape::Data => data(connection, statement, writer),
        shape => rows(connection, statement, shape, options, writer),
    }
}

fn exists(connection: &mut dyn Connection, parent: &Parent) -> Result<bool, QueryError> {
    let sql = match parent.kind {
        "node" => "SELECT 1 FROM certnames WHERE certname = $1",
        "catalog" => {
            "SELECT 1 FROM certnames n JOIN catalogs c ON c.certname_id = n.id WHERE n.certname = $1"
        }
        "factset" => {
            "SELECT 1 FROM certnames n JOIN factsets f ON f.certname_id = n.id WHERE n.certname = $1"
        }
        "environment" => "SELECT 1 FROM environments WHERE environment = $1",
        "producer" => "SELECT 1 FROM producers WHERE name = $1",
        _ => "SELECT 1 FROM reports WHERE hash = $1",
    };
    let name = if parent.kind == "report" {
        match digest::unhex(&parent.name) {
            Some(bytes) => Column::Bytes(bytes),
            None => return Ok(false),
        }
    } else {
        Column::Text(parent.name.clone())
    };
    let found = connection.value(sql, &[name]).map_err(|error| from_store(&error))?;
    Ok(found.is_some())
}

/// Runs a statement; the function appends each row to the buffer.
fn each(
    connection: &mut dyn Connection,
    statement: &Statement,
    writer: &mut Writer<'_>,
    mut append: impl FnMut(&[Column], &mut Writer<'_>) -> Result<ControlFlow<()>, FleetStoreError>,
) -> Result<(), QueryError> {
    let mut failure = None;
    let result = connection.each(&statement.sql, &statement.parameters, &mut |row| {
        let flow = append(row, writer)?;
        if writer.buffer.len() >= CHUNK
            && let Err(error) = writer.flush()
        {
            failure = Some(error);
            return Ok(ControlFlow::Break(()));
        }
        Ok(flow)
    });
    match failure {
        Some(error) => Err(error),
        None => result.map_err(|error| from_store(&error)),
    }
}

fn rows(
    connection: &mut dyn Connection,
    statement: &Statement,
    shape: Shape,
    options: &Options,
    writer: &mut Writer<'_>,
) -> Result<(), QueryError> {
    let columns = Columns::new(connection, &statement.columns).map_err(|e| from_store(&e))?;
    let by = match shape {
        Shape::Counts => options.summarize_by.as_deref().and_then(|by| Summary::parse(by).ok()),
        _ => None,
    };
    writer.buffer.push('[');
    let mut is_first = true;
    each(connection, statement, writer, |row, writer| {
        if !std::mem::take(&mut is_first) {
            writer.buffer.push(',');
        }
        let start = writer.buffer.len();
        match (shape, by) {
            (Shape::Values, _) => columns.value(row, &mut writer.buffer)?,
            (_, Some(by)) => count_row(by, row, &mut writer.buffer),
            _ => columns.object(row, &mut writer.buffer)?,
        }
        writer.lay_out(start);
        Ok(ControlFlow::Continue(()))
    })?;
    writer.buffer.push(']');
    writer.flush()
}

/// A row of counts, with its subject.
fn count_row(by: Summary, row: &[Column], out: &mut String) {
    let text = |column: Option<&Column>| match column {
        Some(Column::Text(text)) => json!(text),
        _ => Value::Null,
    };
    let number = |column: Option<&Column>| match column {
        Some(Column::Integer(number)) => json!(number),
        _ => json!(0),
    };
    let (subject, counts) = match by {
        Summary::Resource => {
            (json!({"type": text(row.first()), "title": text(row.get(1))}), row.get(2..))
        }
        _ => (json!({"title": text(row.first())}), row.get(1..)),
    };
    let mut object = serde_json::Map::new();
    for (name, count) in COUNTS.iter().zip(counts.unwrap_or_default()) {
        object.insert((*name).to_owned(), number(Some(count)));
    }
    object.insert("subject_type".into(), json!(by.name()));
    object.insert("subject".into(), subject);
    out.push_str(&Value::Object(object).to_string());
}

fn single(
    connection: &mut dyn Connection,
    statement: &Statement,
    kind: &str,
    route: &Route,
    writer: &mut Writer<'_>,
) -> Result<(), QueryError> {
    let columns = Columns::new(connection, &statement.columns).map_err(|e| from_store(&e))?;
    let mut is_found = false;
    each(connection, statement, writer, |row, writer| {
        columns.object(row, &mut writer.buffer)?;
        writer.lay_out(0);
        is_found = true;
        Ok(ControlFlow::Break(()))
    })?;
    if is_found {
        return writer.flush();
    }
    let name = route.restrictions.first().and_then(|node| node.get(2));
    Err(QueryError::not_found(kind, name.and_then(Value::as_str).unwrap_or_default()))
}

fn data(
    connection: &mut dyn Connection,
    statement: &Statement,
    writer: &mut Writer<'_>,
) -> Result<(), QueryError> {
    let columns = Columns::new(connection, &statement.columns).map_err(|e| from_store(&e))?;
    each(connection, statement, writer, |row, writer| {
        columns.value(row, &mut writer.buffer)?;
        writer.lay_out(0);
        Ok(ControlFlow::Break(()))
    })?;
    if writer.buffer.is_empty() {
        writer.buffer.push_str("null");
    }
    writer.flush()
}

/// Returns the database's query plan instead of rows.
fn explain(
    connection: &mut dyn Connection,
    statement: &Statement,
    writer: &mut Writer<'_>,
) -> Result<(), QueryError> {
    let is_sqlite = connection.dialect() == ordain_fleet_store::Dialect::Sqlite;
    let prefix = if is_sqlite {
        "EXPLAIN QUERY PLAN "
    } else {
        "EXPLAIN (VERBOSE, ANALYZE, BUFFERS, FORMAT JSON) "
    };
    let sql = format!("{prefix}{}", statement.sql);
    let rows = connection.rows(&sql, &statement.parameters).map_err(|e| from_store(&e))?;
    let plan = if is_sqlite {
        // The last column describes a step of the plan.
        let steps = rows.iter().map(|row| match row.last() {
            Some(Column::Text(detail)) => json!({"detail": detail}),
            _ => Value::Null,
        });
        Value::Array(steps.collect())
    } else {
        match rows.first().and_then(|row| row.first()) {
            Some(Column::Text(text)) => serde_json::from_str(text).unwrap_or(Value::Null),
            _ => Value::Null,
        }
    };
    writer.buffer.push_str(&json!([{"query plan": plan}]).to_string());
    writer.flush()
}

/// Converts a database error for the client.
fn from_store(error: &FleetStoreError) -> QueryError {
    if let Some(refusal) = take_refusal() {
        return QueryError::bad_request(format!("ERROR: {refusal}"));
    }
    match error {
        FleetStoreError::Unavailable { .. } => {
            QueryError { status: 503, body: error.to_string(), is_json: false }
        }
        FleetStoreError::Failed { reason, code } => {
            // A malformed regular expression, or a value that PostgreSQL cannot represent.
            let is_of_query = code.as_deref().is_some_and(|code| code.starts_with("22"));
            if is_of_query {
                return QueryError::bad_request(format!("ERROR: {reason}"));
            }
            QueryError::internal(error.to_string())
        }
        _ => QueryError::internal(error.to_string()),
    }
}
