//! The differences between the SQL of SQLite and of PostgreSQL.

use ordain_fleet_store::Value;
use ordain_functions::digest;
use serde_json::Value as Json;

use super::Sql;
use crate::entity::{Column, LEAF_VALUE};
use crate::error::QueryError;
use crate::plan::{Comparison, Literal, Step};
use crate::sqlite::check_pattern;

/// The number of characters of long texts that an index has.
const INDEXED: usize = 64;

/// The forms of expressions in a database. Those for documents take JSON: text in SQLite, `jsonb`
/// in PostgreSQL.
pub(crate) trait Dialect: Sync {
    /// The text of a column.
    fn column(&self, column: Column) -> &'static str;
    /// A bound value.
    fn literal(&self, value: &Literal) -> Sql;
    /// A bound document.
    fn json(&self, value: &Json) -> Sql;
    /// Checks a regular expression, if the database does not check it before it looks for rows.
    fn check_pattern(&self, pattern: &str) -> Result<(), QueryError>;
    /// Whether a text matches a POSIX regular expression.
    fn matches(&self, text: Sql, pattern: &str) -> Sql;
    /// Bytes in hexadecimal.
    fn hex(&self, bytes: Sql) -> Sql;
    /// The bytes of a bound text in hexadecimal.
    fn bytes(&self, hex: &str) -> Sql;
    /// Compares documents, with the order of `jsonb`.
    fn compare_json(&self, left: Sql, operator: Comparison, right: Sql) -> Sql;
    /// Whether a column, which has an index by the first 64 characters, equals a text.
    fn equals_indexed(&self, column: &str, text: &str) -> Sql;
    /// Whether a document contains another one.
    fn contains(&self, document: Sql, inner: Sql) -> Sql;
    /// The value at a path; null where a step does not fit.
    fn at(&self, document: Sql, path: &[Step]) -> Sql;
    /// The value at a path of which digits are also indices.
    fn at_loose(&self, document: Sql, path: &[String]) -> Sql;
    /// Whether an object has a key.
    fn has_key(&self, document: Sql, key: &str) -> Sql;
    /// The text of a string, and the JSON of other values; null for null.
    fn json_text(&self, document: Sql) -> Sql;
    /// The JSON of a document without spaces.
    fn serialized(&self, document: Sql) -> Sql;
    /// The name of the type of a document.
    fn type_of(&self, document: Sql) -> Sql;
    /// The number in a document; null for other values.
    fn number(&self, document: Sql) -> Sql;
    /// A text as a document.
    fn quote(&self, text: Sql) -> Sql;
    /// A form of a document that is equal for equal documents.
    fn comparable(&self, document: Sql) -> Sql;
    /// The key by which documents are ordered.
    fn order_key(&self, document: Sql) -> Sql;
    /// Whether an array of strings has a member; null for null.
    fn has_member(&self, array: Sql, member: &str) -> Sql;
    /// Whether a member of an array of strings matches.
    fn member_matches(&self, array: Sql, pattern: &str) -> Sql;
    /// Whether a text is one of many.
    fn is_one_of(&self, text: Sql, texts: &[&str]) -> Sql;
    /// A value that is no text, as text.
    fn as_text(&self, value: Sql, is_boolean: bool) -> Sql;
    /// A time by a mask of `to_char`.
    fn to_char(&self, micros: Sql, mask: &str) -> Sql;
    /// A text ordered by its bytes.
    fn by_bytes(&self, text: Sql) -> Sql;
    /// The `FROM` clause of facts with certain names, with the columns of the name and the value.
    fn named_facts(&self, names: &[&str], wanted: WantedFacts<'_>) -> NamedFacts;
    /// Whether the path `p` of a leaf `f` meets a condition.
    fn path_of_leaf(&self, condition: Sql) -> Sql;
    /// An offset without a limit.
    fn offset_only(&self) -> &'static str;
}

/// The facts that a query may find, which decides where they are read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum WantedFacts<'a> {
    /// Those of one node.
    OfNode,
    /// Those that equal a text. Only leaves do, and leaves have an index.
    Equal(&'a str),
    /// Any.
    All,
}

/// Facts with certain names.
pub(crate) struct NamedFacts {
    pub(crate) from: Sql,
    pub(crate) name: &'static str,
    pub(crate) value: &'static str,
}

impl NamedFacts {
    /// The facts of a selection `f` with the columns `certname_id`, `key` and `value`.
    fn selected(selection: Sql) -> Self {
        let template = "({}) f JOIN factsets fs ON fs.certname_id = f.certname_id \
                        JOIN certnames n ON n.id = f.certname_id";
        let from = Sql::format(template, [selection]);
        NamedFacts { from, name: "f.key", value: "f.value" }
    }

    /// The facts with one of these names that equal a text.
    fn equal(dialect: &dyn Dialect, names: &[&str], text: &str) -> Self {
        let paths = Sql::format(
            "p.depth = 0 AND p.value_type = 'string' AND {}",
            [dialect.is_one_of(Sql::text("p.name"), names)],
        );
        let template = format!(
            "SELECT f.certname_id, p.name AS key, {} AS value FROM facts f \
             JOIN fact_paths p ON p.id = f.path_id WHERE {{}} AND {{}}",
            leaf_value(dialect)
        );
        let equals = dialect.equals_indexed("f.value_string", text);
        Self::selected(Sql::format(&template, [dialect.path_of_leaf(paths), equals]))
    }
}

/// Whether a column equals a text: by its start, which has an index, and by the rest if the start is not
/// enough.
fn equals_indexed(dialect: &dyn Dialect, column: &str, text: &str, is_start_enough: bool) -> Sql {
    let literal = |text: String| dialect.literal(&Literal::Text(text));
    let start = literal(text.chars().take(INDEXED).collect());
    let starts = Sql::format(&format!("substr({column}, 1, {INDEXED}) = {{}}"), [start]);
    if is_start_enough {
        return Sql::format("({})", [starts]);
    }
    let parts = [starts, literal(text.to_owned())];
    Sql::format(&format!("({{}} AND {column} = {{}})"), parts)
}

/// The value of a leaf `f` of facts, with its path `p`, as JSON.
pub(crate) fn leaf_value(dialect: &dyn Dialect) -> &'static str {
    dialect.column(LEAF_VALUE)
}

/// The dialect of a database.
pub(crate) fn dialect(dialect: ordain_fleet_store::Dialect) -> &'static dyn Dialect {
    match dialect {
        ordain_fleet_store::Dialect::Sqlite => &Sqlite,
        ordain_fleet_store::Dialect::Postgres => &Postgres,
    }
}

fn texts(texts: &[&str]) -> String {
    Json::from(texts.to_vec()).to_string()
}

/// SQLite, with the functions of [`crate::sqlite_functions`].
struct Sqlite;

impl Dialect for Sqlite {
    fn column(&self, column: Column) -> &'static str {
        match column {
            Column::Same(sql) | Column::Each(sql, _) => sql,
        }
    }

    fn literal(&self, value: &Literal) -> Sql {
        match value {
            Literal::Text(text) => Sql::parameter(text.as_str()),
            Literal::Integer(number) | Literal::Time(number) => Sql::parameter(*number),
            Literal::Float(number) => Sql::parameter(*number),
            Literal::Boolean(flag) => Sql::parameter(i64::from(*flag)),
        }
    }

    fn json(&self, value: &Json) -> Sql {
        Sql::parameter(value.to_string())
    }

    fn check_pattern(&self, pattern: &str) -> Result<(), QueryError> {
        check_pattern(pattern).map_err(|e| QueryError::bad_request(format!("ERROR: {e}")))
    }

    fn matches(&self, text: Sql, pattern: &str) -> Sql {
        Sql::format("({} REGEXP {})", [text, Sql::parameter(pattern)])
    }

    fn hex(&self, bytes: Sql) -> Sql {
        Sql::format("lower(hex({}))", [bytes])
    }

    fn bytes(&self, hex: &str) -> Sql {
        Sql::parameter(unhex(hex))
    }

    fn compare_json(&self, left: Sql, operator: Comparison, right: Sql) -> Sql {
        if operator == Comparison::Equal {
            return Sql::format("pdb_equal({}, {})", [left, right]);
        }
        let template = format!("(pdb_compare({{}}, {{}}) {} 0)", operator.sql());
        Sql::format(&template, [left, right])
    }

    fn equals_indexed(&self, column: &str, text: &str) -> Sql {
        equals_indexed(self, column, text, false)
    }

    fn contains(&self, document: Sql, inner: Sql) -> Sql {
        Sql::format("pdb_contains({}, {})", [document, inner])
    }

    fn at(&self, document: Sql, path: &[Step]) -> Sql {
        let steps = path.iter().map(|step| match step {
            Step::Name(name) => Json::from(name.as_str()),
            Step::Index(index) => Json::from(*index),
        });
        let path = Json::Array(steps.collect()).to_string();
        Sql::format("pdb_at({}, {})", [document, Sql::parameter(path)])
    }

    fn at_loose(&self, document: Sql, path: &[String]) -> Sql {
        let path = Json::from(path.to_vec()).to_string();
        Sql::format("pdb_at_loose({}, {})", [document, Sql::parameter(path)])
    }

    fn has_key(&self, document: Sql, key: &str) -> Sql {
        let path = Json::from(vec![key]).to_string();
        Sql::format("(pdb_at({}, {}) IS NOT NULL)", [document, Sql::parameter(path)])
    }

    fn json_text(&self, document: Sql) -> Sql {
        Sql::format("pdb_text({})", [document])
    }

    fn serialized(&self, document: Sql) -> Sql {
        Sql::format("pdb_canonical({})", [document])
    }

    fn type_of(&self, document: Sql) -> Sql {
        Sql::format("pdb_typeof({})", [document])
    }

    fn number(&self, document: Sql) -> Sql {
        Sql::format("pdb_number({})", [document])
    }

    fn quote(&self, text: Sql) -> Sql {
        self.comparable(Sql::format("json_quote({})", [text]))
    }

    fn comparable(&self, document: Sql) -> Sql {
        Sql::format("pdb_canonical({})", [document])
    }

    fn order_key(&self, document: Sql) -> Sql {
        Sql::format("pdb_order({})", [document])
    }

    fn has_member(&self, array: Sql, member: &str) -> Sql {
        let template = "(CASE WHEN {} IS NOT NULL THEN EXISTS (SELECT 1 FROM json_each({}) WHERE value = {}) END)";
        Sql::format(template, [array.clone(), array, Sql::parameter(member)])
    }

    fn member_matches(&self, array: Sql, pattern: &str) -> Sql {
        let template = "EXISTS (SELECT 1 FROM json_each({}) WHERE value REGEXP {})";
        Sql::format(template, [array, Sql::parameter(pattern)])
    }

    fn is_one_of(&self, text: Sql, values: &[&str]) -> Sql {
        Sql::format(
            "({} IN (SELECT value FROM json_each({})))",
            [text, Sql::parameter(texts(values))],
        )
    }

    fn as_text(&self, value: Sql, is_boolean: bool) -> Sql {
        if is_boolean {
            let template = "(CASE {} WHEN 1 THEN 'true' WHEN 0 THEN 'false' END)";
            return Sql::format(template, [value]);
        }
        Sql::format("CAST({} AS TEXT)", [value])
    }

    fn to_char(&self, micros: Sql, mask: &str) -> Sql {
        Sql::format("pdb_to_char({}, {})", [micros, Sql::parameter(mask)])
    }

    fn by_bytes(&self, text: Sql) -> Sql {
        text
    }

    // For many nodes, single values are read from the leaves, and only structured ones from documents,
    // which are text that has to be parsed.
    fn named_facts(&self, names: &[&str], wanted: WantedFacts<'_>) -> NamedFacts {
        let list = || Sql::parameter(texts(names));
        if let WantedFacts::Equal(text) = wanted {
            return NamedFacts::equal(self, names, text);
        }
        if wanted == WantedFacts::OfNode {
            let from = "factsets fs JOIN certnames n ON n.id = fs.certname_id JOIN json_each({}) k \
                        ON json_type(fs.facts, '$.\"' || k.value || '\"') IS NOT NULL";
            return NamedFacts {
                from: Sql::format(from, [list()]),
                name: "k.value",
                value: "(fs.facts -> ('$.\"' || k.value || '\"'))",
            };
        }
        let leaves = || {
            let names = "FROM facts f JOIN fact_paths p ON p.id = f.path_id WHERE p.depth = 0 \
                         AND p.name IN (SELECT value FROM json_each({}))";
            Sql::format(names, [list()])
        };
        // `NOT IN` of pairs would compare each pair with all leaves, as one might be null.
        let documents = Sql::format(
            "SELECT s.certname_id, k.value, s.facts -> ('$.\"' || k.value || '\"') FROM factsets s \
             JOIN json_each({}) k WHERE CASE WHEN NOT EXISTS (SELECT 1 FROM fact_paths p \
             JOIN facts f ON f.path_id = p.id WHERE p.depth = 0 AND p.name = k.value \
             AND f.certname_id = s.certname_id) \
             THEN json_type(s.facts, '$.\"' || k.value || '\"') IS NOT NULL ELSE 0 END",
            [list()],
        );
        let template = format!(
            "SELECT f.certname_id, p.name AS key, {} AS value {{}} UNION ALL {{}}",
            leaf_value(self)
        );
        NamedFacts::selected(Sql::format(&template, [leaves(), documents]))
    }

    fn path_of_leaf(&self, condition: Sql) -> Sql {
        condition
    }

    fn offset_only(&self) -> &'static str {
        " LIMIT -1 OFFSET "
    }
}

/// PostgreSQL.
struct Postgres;

impl Dialect for Postgres {
    fn column(&self, column: Column) -> &'static str {
        match column {
            Column::Same(sql) | Column::Each(_, sql) => sql,
        }
    }

    fn literal(&self, value: &Literal) -> Sql {
        match value {
            Literal::Text(text) => Sql::format("{}::text", [Sql::parameter(text.as_str())]),
            Literal::Integer(number) | Literal::Time(number) => {
                Sql::format("{}::bigint", [Sql::parameter(*number)])
            }
            Literal::Float(number) => Sql::format("{}::float8", [Sql::parameter(*number)]),
            Literal::Boolean(flag) => Sql::format("{}::boolean", [Sql::parameter(*flag)]),
        }
    }

    fn json(&self, value: &Json) -> Sql {
        Sql::format("{}::jsonb", [Sql::parameter(value.to_string())])
    }

    fn check_pattern(&self, _: &str) -> Result<(), QueryError> {
        Ok(())
    }

    fn matches(&self, text: Sql, pattern: &str) -> Sql {
        Sql::format("({} ~ {}::text)", [text, Sql::parameter(pattern)])
    }

    fn hex(&self, bytes: Sql) -> Sql {
        Sql::format("encode({}, 'hex')", [bytes])
    }

    fn bytes(&self, hex: &str) -> Sql {
        Sql::format("{}::bytea", [Sql::parameter(unhex(hex))])
    }

    fn compare_json(&self, left: Sql, operator: Comparison, right: Sql) -> Sql {
        Sql::format(&format!("({{}} {} {{}})", operator.sql()), [left, right])
    }

    fn equals_indexed(&self, column: &str, text: &str) -> Sql {
        // The start is the whole of a shorter text. With both conditions, the planner takes the product of
        // their probabilities, and expects a row where there are many.
        equals_indexed(self, column, text, text.chars().count() < INDEXED)
    }

    fn contains(&self, document: Sql, inner: Sql) -> Sql {
        Sql::format("({} @> {})", [document, inner])
    }

    fn at(&self, document: Sql, path: &[Step]) -> Sql {
        let mut sql = Sql::text("(");
        sql.append(document);
        for step in path {
            sql.push(" -> ");
            match step {
                Step::Name(name) => sql.append(Sql::parameter(name.as_str())),
                Step::Index(index) => sql.append(Sql::parameter(i64::from(*index))),
            }
            sql.push(if matches!(step, Step::Name(_)) { "::text" } else { "::int" });
        }
        sql.push(")");
        sql
    }

    fn at_loose(&self, document: Sql, path: &[String]) -> Sql {
        let parts = path.iter().map(|part| Sql::parameter(part.as_str()));
        let parts = Sql::join(parts, "::text, ");
        Sql::format("({} #> ARRAY[{}::text])", [document, parts])
    }

    fn has_key(&self, document: Sql, key: &str) -> Sql {
        Sql::format("({} ? {}::text)", [document, Sql::parameter(key)])
    }

    fn json_text(&self, document: Sql) -> Sql {
        Sql::format("({} #>> '{}')", [document, Sql::text("{}")])
    }

    fn serialized(&self, document: Sql) -> Sql {
        // The spaces of arrays and objects are those of `jsonb`.
        Sql::format("({}::text)", [document])
    }

    fn type_of(&self, document: Sql) -> Sql {
        Sql::format("jsonb_typeof({})", [document])
    }

    fn number(&self, document: Sql) -> Sql {
        let text = self.json_text(document.clone());
        let template = "(CASE WHEN jsonb_typeof({}) = 'number' THEN {}::numeric END)";
        Sql::format(template, [document, text])
    }

    fn quote(&self, text: Sql) -> Sql {
        Sql::format("to_jsonb({})", [text])
    }

    fn comparable(&self, document: Sql) -> Sql {
        document
    }

    fn order_key(&self, document: Sql) -> Sql {
        document
    }

    fn has_member(&self, array: Sql, member: &str) -> Sql {
        Sql::format("({} ? {}::text)", [array, Sql::parameter(member)])
    }

    fn member_matches(&self, array: Sql, pattern: &str) -> Sql {
        let template = "EXISTS (SELECT 1 FROM jsonb_array_elements_text({}) AS m(value) WHERE m.value ~ {}::text)";
        Sql::format(template, [array, Sql::parameter(pattern)])
    }

    fn is_one_of(&self, text: Sql, values: &[&str]) -> Sql {
        Sql::format(
            "({} = ANY (ARRAY(SELECT jsonb_array_elements_text({}::jsonb))))",
            [text, Sql::parameter(texts(values))],
        )
    }

    fn as_text(&self, value: Sql, _: bool) -> Sql {
        Sql::format("({}::text)", [value])
    }

    fn to_char(&self, micros: Sql, mask: &str) -> Sql {
        Sql::format(
            "to_char((timestamptz 'epoch' + {} * interval '1 microsecond') AT TIME ZONE 'UTC', {}::text)",
            [micros, Sql::parameter(mask)],
        )
    }

    fn by_bytes(&self, text: Sql) -> Sql {
        Sql::format("{} COLLATE \"C\"", [text])
    }

    // A document is compressed. `||` with an empty one decompresses it once for all names, and `OFFSET 0`
    // keeps the planner from repeating that for each use. The leaves of many nodes are on as many pages
    // of a table that is ten times as large.
    fn named_facts(&self, names: &[&str], wanted: WantedFacts<'_>) -> NamedFacts {
        if let WantedFacts::Equal(text) = wanted {
            return NamedFacts::equal(self, names, text);
        }
        let names = names.iter().map(|name| Sql::format("({}::text)", [Sql::parameter(*name)]));
        let template = "factsets fs JOIN certnames n ON n.id = fs.certname_id CROSS JOIN LATERAL \
                        (SELECT k.key, d.facts -> k.key AS value \
                        FROM (SELECT fs.facts || {}::jsonb AS facts OFFSET 0) d \
                        CROSS JOIN (VALUES {}) AS k(key) WHERE (d.facts -> k.key) IS NOT NULL) f";
        let from = Sql::format(template, [Sql::text("'{}'"), Sql::join(names, ", ")]);
        NamedFacts { from, name: "f.key", value: "f.value" }
    }

    // With the ids of paths known first, an index finds the leaf. The planner would read all leaves of each
    // node otherwise, since it expects few nodes.
    fn path_of_leaf(&self, condition: Sql) -> Sql {
        let template = "f.path_id = ANY (ARRAY(SELECT p.id FROM fact_paths p WHERE {}))";
        Sql::format(template, [condition])
    }

    fn offset_only(&self) -> &'static str {
        " OFFSET "
    }
}

/// The bytes of a text in lower-case hexadecimal. Other texts give bytes that no hash equals.
fn unhex(text: &str) -> Value {
    Value::Bytes(digest::unhex(text).unwrap_or_default())
}
