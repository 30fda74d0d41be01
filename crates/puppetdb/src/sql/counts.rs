//! Counts of events by resource, class or node.

use ordain_fleet_store::Value;

use super::condition::Conditions;
use super::select::{Columns, Scope, select_sql};
use super::{Context, Decoder, Sql, Statement};
use crate::error::QueryError;
use crate::plan::{Comparison, Expr, Literal, Output, Select};

/// The subject by which events are counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Summary {
    Resource,
    ContainingClass,
    Certname,
}

impl Summary {
    pub(crate) fn parse(name: &str) -> Result<Self, QueryError> {
        match name {
            "resource" => Ok(Summary::Resource),
            "containing_class" => Ok(Summary::ContainingClass),
            "certname" => Ok(Summary::Certname),
            other => Err(QueryError::bad_request(format!(
                "Unsupported value for 'summarize_by': '{other}'"
            ))),
        }
    }

    pub(crate) fn name(self) -> &'static str {
        match self {
            Summary::Resource => "resource",
            Summary::ContainingClass => "containing_class",
            Summary::Certname => "certname",
        }
    }

    fn columns(self) -> &'static [&'static str] {
        match self {
            Summary::Resource => &["resource_type", "resource_title"],
            Summary::ContainingClass => &["containing_class"],
            Summary::Certname => &["certname"],
        }
    }
}

/// The counts, as columns.
pub(crate) const COUNTS: &[&str] = &["failures", "skips", "successes", "noops"];
const STATUSES: &[&str] = &["failure", "skipped", "success", "noop"];

/// The nodes whose last run has events, with the counts.
const LAST_RUNS: &str = "SELECT n.certname AS certname, n.latest_report_failures AS failures, \
                         n.latest_report_skips AS skips, n.latest_report_successes AS successes, \
                         n.latest_report_noops AS noops \
                         FROM certnames n WHERE n.latest_report_events > 0";

/// A query for counts.
pub(crate) struct Counts {
    /// The events.
    pub(crate) events: Select,
    pub(crate) by: Summary,
    /// Whether nodes are counted instead of events.
    pub(crate) count_nodes: bool,
    /// A condition on a count.
    pub(crate) filter: Option<(&'static str, Comparison, i64)>,
    /// The columns of the order, with whether each is descending.
    pub(crate) order_by: Vec<(&'static str, bool)>,
    pub(crate) limit: Option<u64>,
    pub(crate) offset: Option<u64>,
}

impl Counts {
    /// The columns that rows may be ordered by.
    pub(crate) fn orderable(&self) -> Vec<&'static str> {
        let counts = ["failures", "skips", "successes", "noops"];
        counts.iter().chain(self.by.columns()).copied().collect()
    }

    fn sql(&self, context: Context) -> Result<Sql, QueryError> {
        let mut sql = match self.is_of_last_runs() {
            true => self.last_runs(context)?,
            false => self.of_events(context)?,
        };
        if let Some((count, operator, value)) = self.filter {
            let value = context.dialect.literal(&Literal::Integer(value));
            let template =
                format!("SELECT * FROM ({{}}) filtered WHERE {count} {} {{}}", operator.sql());
            sql = Sql::format(&template, [sql, value]);
        }
        Ok(sql)
    }

    /// Whether the query asks for the events of the last run of each node, which are counted when
    /// reports are stored.
    fn is_of_last_runs(&self) -> bool {
        let parts = match &self.events.filter {
            Some(Expr::And(parts)) => parts.as_slice(),
            Some(part) => std::slice::from_ref(part),
            None => &[],
        };
        let is_latest = |part: &Expr| matches!(part, Expr::IsLatestReport { is_event: true });
        self.by == Summary::Certname
            && !self.count_nodes
            && self.events.limit.is_none()
            && parts.iter().any(is_latest)
            && parts.iter().all(|part| is_latest(part) || part.reads_only(&["certname"]))
    }

    /// The counts of the last runs.
    fn last_runs(&self, context: Context) -> Result<Sql, QueryError> {
        let scope = Scope::default();
        let conditions = Conditions { context, scope: &scope };
        let mut sql = Sql::text(LAST_RUNS);
        if let Some(Expr::And(parts)) = &self.events.filter {
            for part in parts.iter().filter(|part| !matches!(part, Expr::IsLatestReport { .. })) {
                sql.push(" AND ");
                sql.append(conditions.sql(part)?);
            }
        }
        Ok(sql)
    }

    fn of_events(&self, context: Context) -> Result<Sql, QueryError> {
        let mut wanted = vec!["certname", "status"];
        wanted.extend(self.by.columns().iter().filter(|name| **name != "certname"));
        let mut events = self.events.clone();
        let fields = wanted.iter().filter_map(|name| events.entity.field(name));
        events.columns = fields.map(Output::Field).collect();
        let columns = events.columns.iter().map(|output| {
            let Output::Field(field) = output else { return Sql::default() };
            Sql::text(format!("{} AS {}", context.dialect.column(field.column), field.name))
        });
        let columns = columns.collect();
        let mut inner = select_sql(context, &events, Columns::Converted(columns))?;
        if self.count_nodes {
            inner = Sql::format("SELECT DISTINCT * FROM ({}) seen", [inner]);
        }
        let group = self.by.columns().join(", ");
        let sums = STATUSES.iter().zip(COUNTS).map(|(status, count)| {
            format!("sum(CASE WHEN status = '{status}' THEN 1 ELSE 0 END) AS {count}")
        });
        let sums = sums.collect::<Vec<_>>().join(", ");
        let template = format!("SELECT {group}, {sums} FROM ({{}}) counted GROUP BY {group}");
        Ok(Sql::format(&template, [inner]))
    }

    /// The statement for the counts.
    pub(crate) fn statement(&self, context: Context) -> Result<Statement, QueryError> {
        let mut sql = self.sql(context)?;
        for (at, (name, is_descending)) in self.order_by.iter().enumerate() {
            sql.push(if at == 0 { " ORDER BY " } else { ", " });
            let is_text = !COUNTS.contains(name);
            let column = Sql::text(*name);
            sql.append(if is_text { context.dialect.by_bytes(column) } else { column });
            sql.push(if *is_descending { " DESC NULLS FIRST" } else { " ASC NULLS LAST" });
        }
        if let Some(limit) = self.limit {
            sql.push(&format!(" LIMIT {limit}"));
        }
        if let Some(offset) = self.offset {
            sql.push(match self.limit {
                Some(_) => " OFFSET ",
                None => context.dialect.offset_only(),
            });
            sql.push(&offset.to_string());
        }
        let (sql, parameters) = sql.render()?;
        let names = self.by.columns().iter().chain(COUNTS);
        let columns = names.map(|name| ((*name).to_owned(), Decoder::Plain)).collect();
        Ok(Statement { sql, parameters, columns })
    }

    /// The statement for the number of rows.
    pub(crate) fn count_statement(
        &self,
        context: Context,
    ) -> Result<(String, Vec<Value>), QueryError> {
        Sql::format("SELECT count(*) FROM ({}) counted_rows", [self.sql(context)?]).render()
    }
}

/// The statement that aggregates counts, a row for each summary.
pub(crate) fn aggregate(context: Context, counts: &[Counts]) -> Result<Statement, QueryError> {
    let mut parts = Vec::new();
    for counts in counts {
        let sums = COUNTS.iter().map(|count| {
            format!("coalesce(sum(CASE WHEN {count} > 0 THEN 1 ELSE 0 END), 0) AS {count}")
        });
        let sums = sums.collect::<Vec<_>>().join(", ");
        let by = counts.by.name();
        let template = format!(
            "SELECT '{by}' AS summarize_by, {sums}, count(*) AS total FROM ({{}}) aggregated"
        );
        parts.push(Sql::format(&template, [counts.sql(context)?]));
    }
    let (sql, parameters) = Sql::join(parts, " UNION ALL ").render()?;
    let names = ["summarize_by"].into_iter().chain(COUNTS.iter().copied()).chain(["total"]);
    let columns = names.map(|name| (name.to_owned(), Decoder::Plain)).collect();
    Ok(Statement { sql, parameters, columns })
}
