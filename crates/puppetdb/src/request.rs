//! A request: its path, its parameters, and the query in it.

use serde_json::{Map, Value};

use crate::check::shown;
use crate::error::QueryError;
use crate::json_text;
use crate::limits::MAX_LENGTH;
use crate::pql;
use crate::time;

/// A request to the query API, apart from HTTP.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct QueryRequest {
    /// The segments of the path after `/pdb/query/v4`, decoded. None for `/pdb/query/v4` itself.
    pub segments: Vec<String>,
    /// The parameters of the URL, decoded.
    pub parameters: Vec<(String, String)>,
    /// The body of a POST. Then the parameters of the URL do not count.
    pub body: Option<Vec<u8>>,
}

impl QueryRequest {
    /// A GET request. Segments are decoded as PuppetDB does: percent signs, and `+` as a space.
    ///
    /// # Errors
    ///
    /// Status 400 for malformed escapes.
    pub fn get(path: &str, parameters: &[(&str, &str)]) -> Result<Self, QueryError> {
        let segments = path.split('/').skip(1).map(decode).collect::<Result<_, _>>()?;
        let owned = parameters.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned()));
        Ok(QueryRequest { segments, parameters: owned.collect(), body: None })
    }

    /// A POST request.
    ///
    /// # Errors
    ///
    /// Status 400 for malformed escapes in the path.
    pub fn post(path: &str, body: impl Into<Vec<u8>>) -> Result<Self, QueryError> {
        let request = Self::get(path, &[])?;
        Ok(QueryRequest { body: Some(body.into()), ..request })
    }
}

/// Decodes a segment of a path.
fn decode(segment: &str) -> Result<String, QueryError> {
    let malformed = || QueryError::bad_request(format!("malformed escape in the path: {segment}"));
    let mut bytes = Vec::with_capacity(segment.len());
    let mut rest = segment.bytes();
    while let Some(byte) = rest.next() {
        bytes.push(match byte {
            b'+' => b' ',
            b'%' => {
                let mut digit = || char::from(rest.next()?).to_digit(16);
                let pair = digit().zip(digit());
                let (high, low) = pair.ok_or_else(malformed)?;
                u8::try_from(high * 16 + low).map_err(|_| malformed())?
            }
            byte => byte,
        });
    }
    String::from_utf8(bytes).map_err(|_| malformed())
}

/// The parameters that an endpoint accepts.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Accepted {
    /// Whether PQL is accepted besides AST.
    pub(crate) pql: bool,
    /// `query` and those for pages.
    pub(crate) query: bool,
    /// Those of the last changes of resources.
    pub(crate) distinct: bool,
    /// Those of counts.
    pub(crate) counts: bool,
    /// `include_total`, `limit` and so on; aggregates have none.
    pub(crate) no_pages: bool,
}

const GLOBAL: &[&str] = &[
    "optimize_drop_unused_joins",
    "include_facts_expiration",
    "include_package_inventory",
    "explain",
    "origin",
    "timeout",
];
const PAGES: &[&str] = &["limit", "offset", "order_by", "include_total"];
const DISTINCT: &[&str] = &["distinct_resources", "distinct_start_time", "distinct_end_time"];

impl Accepted {
    fn accepts(self, name: &str) -> bool {
        GLOBAL.contains(&name)
            || name == "pretty" && !self.no_pages
            || self.query && name == "query"
            || self.query && !self.no_pages && PAGES.contains(&name)
            || self.pql && name == "ast_only"
            || self.distinct && DISTINCT.contains(&name)
            || self.counts && ["summarize_by", "counts_filter", "count_by"].contains(&name)
    }

    fn required(self) -> &'static [&'static str] {
        if self.pql {
            &["query"]
        } else if self.counts {
            &["summarize_by"]
        } else {
            &[]
        }
    }
}

/// The query and the options of a request.
#[derive(Clone, Debug, Default)]
pub(crate) struct Options {
    pub(crate) query: Value,
    pub(crate) limit: Option<u64>,
    pub(crate) offset: Option<u64>,
    /// Names of fields, with whether the order is descending.
    pub(crate) order_by: Vec<(String, bool)>,
    pub(crate) include_total: bool,
    pub(crate) pretty: bool,
    pub(crate) explain: bool,
    pub(crate) ast_only: bool,
    pub(crate) include_facts_expiration: bool,
    pub(crate) include_package_inventory: bool,
    pub(crate) distinct: Option<(i64, i64)>,
    pub(crate) summarize_by: Option<String>,
    pub(crate) count_by: Option<String>,
    pub(crate) counts_filter: Value,
    /// Seconds.
    pub(crate) timeout: Option<f64>,
}

fn bad(text: impl Into<String>) -> QueryError {
    QueryError::bad_request(text)
}

/// Reads the parameters of a request.
pub(crate) fn options(request: &QueryRequest, accepted: Accepted) -> Result<Options, QueryError> {
    let mut parameters = match &request.body {
        Some(body) => body_parameters(body, accepted)?,
        None => url_parameters(request)?,
    };
    for required in accepted.required() {
        if !parameters.contains_key(*required) {
            return Err(bad(format!("Missing required query parameter '{required}'")));
        }
    }
    if let Some(name) = parameters.keys().find(|name| !accepted.accepts(name)) {
        return Err(bad(format!("Unsupported query parameter '{name}'")));
    }
    let query = match parameters.remove("query") {
        Some(Value::String(text)) => parse_query(&text, accepted.pql)?,
        Some(query) => query,
        None => Value::Null,
    };
    let flag = |name| parameters.get(name).is_some_and(is_true);
    let text = |name| parameters.get(name).filter(|v| !v.is_null()).map(shown);
    Ok(Options {
        query,
        limit: number(&parameters, "limit", 1, "a positive non-zero integer")?,
        offset: number(&parameters, "offset", 0, "a non-negative integer")?,
        order_by: order_by(&parameters, request.body.is_none())?,
        include_total: flag("include_total"),
        pretty: flag("pretty"),
        explain: match text("explain") {
            None => false,
            Some(mode) if mode == "analyze" => true,
            Some(mode) => {
                return Err(bad(format!(
                    "Illegal value '{mode}' for :explain; expected `analyze`."
                )));
            }
        },
        ast_only: flag("ast_only"),
        include_facts_expiration: flag("include_facts_expiration"),
        include_package_inventory: flag("include_package_inventory"),
        distinct: distinct(&parameters)?,
        summarize_by: text("summarize_by"),
        count_by: text("count_by"),
        counts_filter: match parameters.get("counts_filter") {
            Some(Value::String(text)) => json_text::parse(text)?,
            Some(other) => other.clone(),
            None => Value::Null,
        },
        timeout: match parameters.get("timeout") {
            None => None,
            Some(value) => Some(timeout(value)?),
        },
    })
}

fn timeout(value: &Value) -> Result<f64, QueryError> {
    let seconds = match value {
        Value::String(text) => text.parse().ok(),
        other => other.as_f64(),
    };
    seconds.filter(|seconds: &f64| seconds.is_finite() && *seconds >= 0.0).ok_or_else(|| {
        bad(format!("Illegal value '{}' for :timeout; expected seconds.", shown(value)))
    })
}

fn url_parameters(request: &QueryRequest) -> Result<Map<String, Value>, QueryError> {
    let mut parameters = Map::new();
    for (name, value) in &request.parameters {
        if value.len() > MAX_LENGTH {
            return Err(bad(format!("The parameter '{name}' is longer than {MAX_LENGTH} bytes")));
        }
        parameters.insert(name.clone(), Value::String(value.clone()));
    }
    Ok(parameters)
}

fn body_parameters(body: &[u8], accepted: Accepted) -> Result<Map<String, Value>, QueryError> {
    if body.len() > MAX_LENGTH {
        return Err(bad(format!("The body is longer than {MAX_LENGTH} bytes")));
    }
    let text = std::str::from_utf8(body).map_err(|_| bad("The body is not in UTF-8"))?;
    match json_text::parse(text)? {
        Value::Object(mut parameters) => {
            if accepted.query {
                parameters.entry("query").or_insert(Value::Null);
            }
            Ok(parameters)
        }
        Value::Null => Ok(Map::new()),
        other => Err(bad(format!("The body has to be a JSON object, not {}", shown(&other)))),
    }
}

/// Parses the text of a query.
fn parse_query(text: &str, allows_pql: bool) -> Result<Value, QueryError> {
    if allows_pql && !text.trim_start().starts_with('[') {
        return pql::parse(text);
    }
    if text.trim().is_empty() {
        return Ok(Value::Null);
    }
    json_text::parse(text)
}

fn is_true(value: &Value) -> bool {
    match value {
        Value::String(text) => text.eq_ignore_ascii_case("true"),
        other => other.as_bool().unwrap_or(false),
    }
}

fn number(
    parameters: &Map<String, Value>,
    name: &str,
    least: u64,
    expected: &str,
) -> Result<Option<u64>, QueryError> {
    let value = match parameters.get(name) {
        None | Some(Value::Null) => return Ok(None),
        Some(value) => value,
    };
    let number = match value {
        Value::String(text) => text.parse().ok(),
        other => other.as_u64(),
    };
    // PostgreSQL's limits are signed.
    match number.filter(|number| *number >= least && i64::try_from(*number).is_ok()) {
        Some(number) => Ok(Some(number)),
        None => {
            let value = shown(value);
            Err(bad(format!("Illegal value '{value}' for :{name}; expected {expected}.")))
        }
    }
}

/// `[{"field": name, "order": "asc" or "desc"}]`.
fn order_by(
    parameters: &Map<String, Value>,
    is_text: bool,
) -> Result<Vec<(String, bool)>, QueryError> {
    let given = match parameters.get("order_by") {
        None | Some(Value::Null) => return Ok(Vec::new()),
        Some(given) => given,
    };
    let parsed = match given {
        Value::String(text) if is_text => serde_json::from_str(text).map_err(|_| {
            bad(format!("Illegal value '{text}' for :order_by; expected a JSON array of maps."))
        })?,
        other => other.clone(),
    };
    let illegal = |what: &str| {
        bad(format!("Illegal value '{}' for :order_by; expected {what}.", shown(&parsed)))
    };
    let terms = match &parsed {
        Value::Array(terms) => terms,
        Value::Null => return Ok(Vec::new()),
        Value::Object(object) if object.is_empty() => return Ok(Vec::new()),
        _ => return Err(illegal("an array of maps")),
    };
    let mut order = Vec::new();
    for term in terms {
        let Value::Object(term) = term else { return Err(illegal("an array of maps")) };
        order.push(order_term(term)?);
    }
    Ok(order)
}

fn order_term(term: &Map<String, Value>) -> Result<(String, bool), QueryError> {
    let shown_term = || shown(&Value::Object(term.clone()));
    if let Some(key) = term.keys().find(|key| !matches!(key.as_str(), "field" | "order")) {
        let term = shown_term();
        return Err(bad(format!("Illegal value '{term}' in :order_by; unknown key '{key}'.")));
    }
    let Some(field) = term.get("field") else {
        let term = shown_term();
        return Err(bad(format!(
            "Illegal value '{term}' in :order_by; missing required key field."
        )));
    };
    let order = match term.get("order") {
        None | Some(Value::Null) => "asc".to_owned(),
        Some(order) => shown(order).to_lowercase(),
    };
    match order.as_str() {
        "asc" | "desc" => Ok((shown(field), order == "desc")),
        _ => Err(bad(format!(
            "Illegal value '{}' in :order_by; 'order' must be either 'asc' or 'desc'",
            shown_term()
        ))),
    }
}

/// The times between which the last changes of resources are wanted.
fn distinct(parameters: &Map<String, Value>) -> Result<Option<(i64, i64)>, QueryError> {
    let [flag, start, end] =
        [DISTINCT[0], DISTINCT[1], DISTINCT[2]].map(|name| parameters.get(name));
    match (flag, start, end) {
        (None, None, None) => Ok(None),
        (Some(flag), Some(start), Some(end)) => {
            let Some(times) = time::parse(start).zip(time::parse(end)) else {
                let (start, end) = (shown(start), shown(end));
                return Err(bad(format!(
                    "query parameters 'distinct_start_time' and 'distinct_end_time' must be valid datetime strings: {start} {end}"
                )));
            };
            Ok(is_true(flag).then_some(times))
        }
        (None, Some(_), Some(_)) => Err(bad(
            "'distinct_resources' query parameter must accompany parameters 'distinct_start_time' and 'distinct_end_time'",
        )),
        _ => Err(bad(
            "'distinct_resources' query parameter requires accompanying parameters 'distinct_start_time' and 'distinct_end_time'",
        )),
    }
}
