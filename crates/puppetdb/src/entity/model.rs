//! Types of the table of entities: fields, joins and relations.

/// The PuppetDB type of a field, which determines its operators and conversions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Type {
    /// `string`.
    Text,
    /// `numeric`.
    Number,
    /// `boolean`.
    Boolean,
    /// `timestamp`.
    Time,
    /// An array of strings.
    Array,
    /// `queryable-json`: a document with paths.
    Document,
    /// `jsonb-scalar`: the value of a fact.
    Scalar,
    /// JSON that queries can only return.
    Shown,
    /// `encoded-path`: the path of a fact as text.
    EncodedPath,
    /// `path-array`: the path of a fact as an array.
    PathArray,
}

/// How the fleet store represents a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stored {
    /// Text.
    Text,
    /// An integer.
    Integer,
    /// A boolean.
    Boolean,
    /// Microseconds since 1970.
    Time,
    /// Bytes that are shown in hexadecimal.
    Hash,
    /// JSON: text in SQLite, `jsonb` in PostgreSQL.
    Json,
    /// Compressed JSON, returned as `{"data": …, "href": …}` of the report.
    Compressed,
    /// The facts of a set as `{"data": [{"name", "value"}], "href": …}`.
    FactSet,
    /// A subquery with a JSON array as its result, returned as `{"data": …, "href": …}`.
    Part,
}

/// The SQL expression of a field.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Column {
    /// The same in both databases.
    Same(&'static str),
    /// The SQL for SQLite, then for PostgreSQL.
    Each(&'static str, &'static str),
}

/// A field of an entity.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Field {
    pub(crate) name: &'static str,
    pub(crate) ty: Type,
    pub(crate) stored: Stored,
    pub(crate) column: Column,
    /// The aliases of all optional joins that the column needs.
    pub(crate) joins: &'static [&'static str],
    /// The column with the id of an environment, if the field is its name. Lists of nodes are read
    /// without joins by it.
    pub(crate) environment_id: Option<&'static str>,
    /// Whether conditions may use it.
    pub(crate) is_queryable: bool,
    /// Whether it is returned by default.
    pub(crate) is_shown: bool,
    /// Whether paths into it can be columns.
    pub(crate) has_paths: bool,
}

impl Field {
    pub(super) const fn new(
        name: &'static str,
        ty: Type,
        stored: Stored,
        column: &'static str,
    ) -> Self {
        Field {
            name,
            ty,
            stored,
            column: Column::Same(column),
            joins: &[],
            environment_id: None,
            is_queryable: true,
            is_shown: true,
            has_paths: false,
        }
    }

    pub(super) const fn text(name: &'static str, column: &'static str) -> Self {
        Field::new(name, Type::Text, Stored::Text, column)
    }

    pub(super) const fn time(name: &'static str, column: &'static str) -> Self {
        Field::new(name, Type::Time, Stored::Time, column)
    }

    pub(super) const fn number(name: &'static str, column: &'static str) -> Self {
        Field::new(name, Type::Number, Stored::Integer, column)
    }

    pub(super) const fn boolean(name: &'static str, column: &'static str) -> Self {
        Field::new(name, Type::Boolean, Stored::Boolean, column)
    }

    pub(super) const fn hash(name: &'static str, column: &'static str) -> Self {
        Field::new(name, Type::Text, Stored::Hash, column)
    }

    pub(super) const fn json(name: &'static str, ty: Type, column: &'static str) -> Self {
        Field::new(name, ty, Stored::Json, column)
    }

    /// JSON that conditions cannot use.
    pub(super) const fn shown(name: &'static str, stored: Stored, column: &'static str) -> Self {
        let mut field = Field::new(name, Type::Shown, stored, column);
        field.is_queryable = false;
        field
    }

    pub(super) const fn by(mut self, joins: &'static [&'static str]) -> Self {
        self.joins = joins;
        self
    }

    /// The name of an environment, whose id is in a column.
    pub(super) const fn environment_id(mut self, column: &'static str) -> Self {
        self.environment_id = Some(column);
        self
    }

    /// SQL for SQLite and for PostgreSQL.
    pub(super) const fn each(mut self, sqlite: &'static str, postgres: &'static str) -> Self {
        self.column = Column::Each(sqlite, postgres);
        self
    }

    /// SQL of both databases.
    pub(super) const fn of(mut self, column: Column) -> Self {
        self.column = column;
        self
    }

    /// Conditions may use the field, but it is not a column.
    pub(super) const fn hidden(mut self) -> Self {
        self.is_shown = false;
        self
    }

    pub(super) const fn with_paths(mut self) -> Self {
        self.has_paths = true;
        self
    }

    /// Sets another type: PuppetDB declares some fields as `string` that have other values.
    pub(super) const fn typed(mut self, ty: Type) -> Self {
        self.ty = ty;
        self
    }
}

/// A join that is omitted unless a field or condition needs it.
///
/// PostgreSQL omits outer joins to a primary key by itself, but inner joins only here: the foreign
/// keys of the fleet store say that the other row exists.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Join {
    pub(crate) alias: &'static str,
    pub(crate) sql: &'static str,
}

/// The columns that relate an entity to another one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Relation {
    pub(crate) entity: &'static str,
    pub(crate) local: &'static [&'static str],
    pub(crate) foreign: &'static [&'static str],
}

/// An entity.
#[derive(Debug)]
pub(crate) struct Entity {
    /// The name in queries, with underscores.
    pub(crate) name: &'static str,
    /// The name in messages.
    pub(crate) label: &'static str,
    /// The `FROM` clause for SQLite and for PostgreSQL.
    pub(crate) from: Column,
    pub(crate) joins: &'static [Join],
    /// The fields in the order in which PuppetDB shows them.
    pub(crate) fields: &'static [Field],
    pub(crate) relations: &'static [Relation],
    /// Whether the `FROM` clause or an optional join contains `certnames n`.
    pub(crate) has_node: bool,
    /// Whether duplicate rows are removed.
    pub(crate) is_distinct: bool,
}

impl Entity {
    pub(crate) fn field(&self, name: &str) -> Option<&'static Field> {
        self.fields.iter().find(|field| field.name == name)
    }

    /// The names of the fields that conditions may use, sorted.
    pub(crate) fn queryable(&self) -> Vec<&'static str> {
        let mut names: Vec<_> =
            self.fields.iter().filter(|f| f.is_queryable).map(|f| f.name).collect();
        names.sort_unstable();
        names
    }

    /// The names of the fields that are columns.
    pub(crate) fn shown(&self) -> Vec<&'static str> {
        self.fields.iter().filter(|f| f.is_shown).map(|f| f.name).collect()
    }

    pub(crate) fn relation(&self, entity: &str) -> Option<&'static Relation> {
        // A later relation overrides an earlier one.
        self.relations.iter().rev().find(|relation| relation.entity == entity)
    }
}

impl PartialEq for Entity {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

const CERTNAME: &[&str] = &["certname"];

pub(super) const fn by_certname(entity: &'static str) -> Relation {
    Relation { entity, local: CERTNAME, foreign: CERTNAME }
}

pub(super) const fn by(
    entity: &'static str,
    local: &'static [&'static str],
    foreign: &'static [&'static str],
) -> Relation {
    Relation { entity, local, foreign }
}

/// The relations of an entity that belongs to a node, followed by additional ones.
macro_rules! relations {
    ($($more:expr),* $(,)?) => {
        &[
            by_certname("factsets"), by_certname("reports"), by_certname("package-inventory"),
            by_certname("inventory"), by_certname("catalogs"), by_certname("catalog_input_contents"),
            by_certname("catalog_inputs"), by_certname("nodes"), by_certname("facts"),
            by_certname("fact_contents"), by_certname("events"), by_certname("edges"),
            by_certname("resources"), $($more),*
        ]
    };
}
pub(super) use relations;
