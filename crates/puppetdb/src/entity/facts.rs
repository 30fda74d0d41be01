//! Facts, their paths, and the inventory.

use super::model::{Column, Entity, Field, Join, Stored, Type, by, by_certname, relations};

const ENVIRONMENT: Join =
    Join { alias: "e", sql: "LEFT JOIN environments e ON e.id = fs.environment_id" };
const FROM_FACTSETS: &str = "factsets fs JOIN certnames n ON n.id = fs.certname_id";
const BY_ENVIRONMENT: super::model::Relation = by("environments", &["environment"], &["name"]);

/// The facts of a node as one document.
pub(super) static INVENTORY: Entity = Entity {
    name: "inventory",
    label: "inventory",
    from: Column::Same(FROM_FACTSETS),
    joins: &[ENVIRONMENT],
    fields: &[
        Field::text("certname", "n.certname"),
        Field::time("timestamp", "fs.timestamp"),
        Field::text("environment", "e.environment").by(&["e"]),
        Field::json("facts", Type::Document, "fs.facts").with_paths(),
        Field::json("trusted", Type::Document, "")
            .each("(fs.facts -> '$.trusted')", "(fs.facts -> 'trusted')")
            .with_paths(),
    ],
    relations: relations![],
    has_node: true,
    is_distinct: false,
};

/// A value from `json_each` as JSON. Numbers with a fraction keep their text, because SQLite would
/// round them.
const EACH_VALUE: &str = "(CASE WHEN f.type = 'text' THEN json_quote(f.value) WHEN f.type IN ('true', 'false', 'null') \
     THEN f.type WHEN typeof(f.value) = 'real' THEN fs.facts -> f.fullkey ELSE f.value END)";

/// The facts of nodes.
pub(super) static FACTS: Entity = Entity {
    name: "facts",
    label: "facts",
    from: Column::Each(
        "factsets fs JOIN certnames n ON n.id = fs.certname_id JOIN json_each(fs.facts) f",
        "factsets fs JOIN certnames n ON n.id = fs.certname_id CROSS JOIN LATERAL jsonb_each(fs.facts) f",
    ),
    joins: &[ENVIRONMENT],
    fields: &[
        Field::text("certname", "n.certname"),
        Field::text("environment", "e.environment").by(&["e"]),
        Field::text("name", "f.key"),
        Field::json("value", Type::Scalar, "").each(EACH_VALUE, "f.value"),
    ],
    relations: relations![
        BY_ENVIRONMENT,
        by("fact_contents", &["certname", "name"], &["certname", "name"])
    ],
    has_node: true,
    is_distinct: false,
};

/// The value of a leaf `f` of facts, with its path `p`, as JSON.
pub(crate) const LEAF_VALUE: Column = Column::Each(
    "(CASE p.value_type WHEN 'string' THEN json_quote(f.value_string) WHEN 'integer' THEN \
     CAST(f.value_integer AS TEXT) WHEN 'float' THEN pdb_float(f.value_float) WHEN 'boolean' THEN \
     iif(f.value_boolean, 'true', 'false') ELSE 'null' END)",
    "(CASE p.value_type WHEN 'string' THEN to_jsonb(f.value_string) WHEN 'integer' THEN \
     to_jsonb(f.value_integer) WHEN 'float' THEN (CASE WHEN f.value_float = trunc(f.value_float) AND abs(f.value_float) < 1e15 THEN \
     (f.value_float::text || '.0')::jsonb ELSE to_jsonb(f.value_float) END) WHEN 'boolean' THEN \
     to_jsonb(f.value_boolean) ELSE 'null'::jsonb END)",
);

/// The leaves of facts.
pub(super) static FACT_CONTENTS: Entity = Entity {
    name: "fact_contents",
    label: "fact_nodes",
    from: Column::Same(
        "facts f JOIN fact_paths p ON p.id = f.path_id JOIN certnames n ON n.id = f.certname_id",
    ),
    joins: &[
        Join { alias: "fs", sql: "LEFT JOIN factsets fs ON fs.certname_id = f.certname_id" },
        Join { alias: "e", sql: "LEFT JOIN environments e ON e.id = fs.environment_id" },
    ],
    fields: &[
        Field::text("certname", "n.certname"),
        Field::text("environment", "e.environment").by(&["fs", "e"]),
        Field::json("path", Type::PathArray, "p.path_array"),
        Field::text("name", "p.name"),
        Field::json("value", Type::Scalar, "").of(LEAF_VALUE),
    ],
    relations: relations![
        BY_ENVIRONMENT,
        by("facts", &["certname", "name"], &["certname", "name"])
    ],
    has_node: true,
    is_distinct: false,
};

/// The paths of facts.
pub(super) static FACT_PATHS: Entity = Entity {
    name: "fact_paths",
    label: "fact_paths",
    from: Column::Same("fact_paths p"),
    joins: &[],
    fields: &[
        Field::text("type", "p.value_type"),
        Field::json("path", Type::EncodedPath, "p.path_array"),
        Field::text("name", "p.name"),
        Field::number("depth", "p.depth").hidden(),
    ],
    relations: &[by("facts", &["name"], &["name"]), by("fact_contents", &["path"], &["path"])],
    has_node: false,
    is_distinct: false,
};

/// The names of facts.
pub(super) static FACT_NAMES: Entity = Entity {
    name: "fact_names",
    label: "fact_names",
    from: Column::Same("fact_paths p"),
    joins: &[],
    fields: &[Field::text("name", "p.name")],
    relations: &[],
    has_node: false,
    is_distinct: true,
};

const PRODUCER: Join =
    Join { alias: "pr", sql: "LEFT JOIN producers pr ON pr.id = fs.producer_id" };

const FACTSET_FIELDS: [Field; 8] = [
    Field::time("timestamp", "fs.timestamp"),
    {
        let mut facts = Field::new("facts", Type::Document, Stored::FactSet, "");
        facts = facts.each(
            "json_array(n.certname, json(fs.facts))",
            "jsonb_build_array(n.certname, fs.facts)",
        );
        facts
    },
    Field::text("certname", "n.certname"),
    Field::hash("hash", "fs.hash"),
    Field::time("producer_timestamp", "fs.producer_timestamp"),
    Field::text("producer", "pr.name").by(&["pr"]),
    Field::text("environment", "e.environment").by(&["e"]),
    // Only with `include_package_inventory`.
    {
        let field = Field::shown("package_inventory", Stored::Json, "");
        field.each(
            "(SELECT json_group_array(json_array(p.name, p.version, p.provider)) FROM certname_packages cp \
             JOIN packages p ON p.id = cp.package_id WHERE cp.certname_id = fs.certname_id HAVING count(*) > 0)",
            "(SELECT jsonb_agg(jsonb_build_array(p.name, p.version, p.provider)) FROM certname_packages cp \
             JOIN packages p ON p.id = cp.package_id WHERE cp.certname_id = fs.certname_id)",
        )
    },
];

const PLAIN_FACTSET_FIELDS: [Field; 7] = {
    let [a, b, c, d, e, f, g, _] = FACTSET_FIELDS;
    [a, b, c, d, e, f, g]
};

/// The facts of nodes, with hash and timestamps.
pub(super) static FACTSETS: Entity = Entity {
    name: "factsets",
    label: "factsets",
    from: Column::Same(FROM_FACTSETS),
    joins: &[ENVIRONMENT, PRODUCER],
    fields: &PLAIN_FACTSET_FIELDS,
    relations: relations![BY_ENVIRONMENT, by("producers", &["producer"], &["name"])],
    has_node: true,
    is_distinct: false,
};

/// [`FACTSETS`] for `include_package_inventory`.
pub(super) static FACTSETS_WITH_PACKAGES: Entity = Entity {
    name: "factsets_with_packages",
    label: "factsets",
    from: Column::Same(FROM_FACTSETS),
    joins: &[ENVIRONMENT, PRODUCER],
    fields: &FACTSET_FIELDS,
    relations: relations![BY_ENVIRONMENT, by("producers", &["producer"], &["name"])],
    has_node: true,
    is_distinct: false,
};
