//! Catalogs with their resources, edges and inputs.

use super::model::{Column, Entity, Field, Join, Stored, Type, by, by_certname, relations};

const BY_ENVIRONMENT: super::model::Relation = by("environments", &["environment"], &["name"]);

/// The catalogs of nodes.
pub(super) static CATALOGS: Entity = Entity {
    name: "catalogs",
    label: "catalogs",
    from: Column::Same("catalogs c JOIN certnames n ON n.id = c.certname_id"),
    joins: &[
        Join { alias: "e", sql: "LEFT JOIN environments e ON e.id = c.environment_id" },
        Join { alias: "pr", sql: "LEFT JOIN producers pr ON pr.id = c.producer_id" },
    ],
    fields: &[
        Field::text("catalog_uuid", "c.catalog_uuid"),
        Field::text("producer", "pr.name").by(&["pr"]),
        Field::hash("hash", "c.hash"),
        Field::text("transaction_uuid", "c.transaction_uuid"),
        Field::time("producer_timestamp", "c.producer_timestamp"),
        Field::text("environment", "e.environment").by(&["e"]),
        Field::text("code_id", "c.code_id"),
        Field::text("version", "c.catalog_version"),
        Field::shown("resources", Stored::Part, "").each(
            "json_array(n.certname, 'resources', json((SELECT json_group_array(json_object('resource', \
             lower(hex(r.resource)), 'type', r.type, 'title', r.title, 'tags', json(t.tags), 'exported', \
             json(iif(r.exported, 'true', 'false')), 'file', r.file, 'line', r.line, 'parameters', \
             json(r.parameters))) FROM catalog_resources cr JOIN resources r ON r.id = cr.resource_id \
             JOIN tag_sets t ON t.id = cr.tag_set_id WHERE cr.certname_id = c.certname_id)))",
            "jsonb_build_array(n.certname, 'resources', (SELECT jsonb_agg(jsonb_build_object('resource', \
             encode(r.resource, 'hex'), 'type', r.type, 'title', r.title, 'tags', t.tags, 'exported', \
             r.exported, 'file', r.file, 'line', r.line, 'parameters', r.parameters)) \
             FROM catalog_resources cr JOIN resources r ON r.id = cr.resource_id \
             JOIN tag_sets t ON t.id = cr.tag_set_id WHERE cr.certname_id = c.certname_id))",
        ),
        Field::text("certname", "n.certname"),
        Field::shown("edges", Stored::Part, "").each(
            "json_array(n.certname, 'edges', json((SELECT json_group_array(json_object('source_type', \
             g.source_type, 'source_title', g.source_title, 'target_type', g.target_type, 'target_title', \
             g.target_title, 'relationship', g.relationship)) FROM catalog_edges ce \
             JOIN edges g ON g.id = ce.edge_id WHERE ce.certname_id = c.certname_id)))",
            "jsonb_build_array(n.certname, 'edges', (SELECT jsonb_agg(jsonb_build_object('source_type', \
             g.source_type, 'source_title', g.source_title, 'target_type', g.target_type, 'target_title', \
             g.target_title, 'relationship', g.relationship)) FROM catalog_edges ce \
             JOIN edges g ON g.id = ce.edge_id WHERE ce.certname_id = c.certname_id))",
        ),
        Field::text("job_id", "c.job_id"),
    ],
    relations: relations![BY_ENVIRONMENT, by("producers", &["producer"], &["name"])],
    has_node: true,
    is_distinct: false,
};

/// The lookups of compiles, one per row.
pub(super) static CATALOG_INPUT_CONTENTS: Entity = Entity {
    name: "catalog_input_contents",
    label: "catalog_input_contents",
    from: Column::Same(
        "certname_catalog_inputs ci JOIN catalog_inputs i ON i.id = ci.catalog_input_id \
         JOIN certnames n ON n.id = ci.certname_id",
    ),
    joins: &[],
    fields: &[
        Field::text("certname", "n.certname"),
        Field::time("producer_timestamp", "n.catalog_inputs_timestamp"),
        Field::text("catalog_uuid", "n.catalog_inputs_uuid"),
        Field::text("name", "i.name"),
        Field::text("type", "i.type"),
    ],
    relations: relations![],
    has_node: true,
    is_distinct: false,
};

/// The lookups of the compile of a node's catalog.
pub(super) static CATALOG_INPUTS: Entity = Entity {
    name: "catalog_inputs",
    label: "catalog_inputs",
    from: Column::Same(
        "certnames n JOIN (SELECT DISTINCT certname_id FROM certname_catalog_inputs) ci ON ci.certname_id = n.id",
    ),
    joins: &[],
    fields: &[
        Field::text("certname", "n.certname"),
        Field::time("producer_timestamp", "n.catalog_inputs_timestamp"),
        Field::text("catalog_uuid", "n.catalog_inputs_uuid"),
        Field::json("inputs", Type::Array, "").each(
            "(SELECT json_group_array(json_array(type, name)) FROM (SELECT i.type, i.name \
             FROM certname_catalog_inputs x JOIN catalog_inputs i ON i.id = x.catalog_input_id \
             WHERE x.certname_id = n.id ORDER BY x.ordinal))",
            "(SELECT jsonb_agg(jsonb_build_array(i.type, i.name) ORDER BY x.ordinal) \
             FROM certname_catalog_inputs x JOIN catalog_inputs i ON i.id = x.catalog_input_id \
             WHERE x.certname_id = n.id)",
        ),
    ],
    relations: relations![],
    has_node: true,
    is_distinct: false,
};

/// The resources of catalogs.
pub(super) static RESOURCES: Entity = Entity {
    name: "resources",
    label: "resources",
    from: Column::Same(
        "catalog_resources cr JOIN resources r ON r.id = cr.resource_id JOIN certnames n ON n.id = cr.certname_id",
    ),
    joins: &[
        Join { alias: "c", sql: "LEFT JOIN catalogs c ON c.certname_id = cr.certname_id" },
        Join { alias: "e", sql: "LEFT JOIN environments e ON e.id = c.environment_id" },
        Join { alias: "t", sql: "JOIN tag_sets t ON t.id = cr.tag_set_id" },
    ],
    fields: &[
        Field::json("tags", Type::Array, "t.tags").by(&["t"]),
        Field::text("file", "r.file"),
        Field::text("type", "r.type"),
        Field::text("title", "r.title"),
        Field::number("line", "r.line"),
        Field::hash("resource", "r.resource"),
        Field::text("environment", "e.environment").by(&["c", "e"]),
        Field::text("certname", "n.certname"),
        Field::json("parameters", Type::Document, "r.parameters").with_paths(),
        Field::boolean("exported", "r.exported").typed(Type::Text),
        Field::text("tag", "").hidden(),
    ],
    relations: &[
        by_certname("catalogs"),
        by_certname("nodes"),
        by("environments", &["environment"], &["name"]),
    ],
    has_node: true,
    is_distinct: false,
};

/// The edges of catalogs.
pub(super) static EDGES: Entity = Entity {
    name: "edges",
    label: "edges",
    from: Column::Same(
        "catalog_edges ce JOIN edges g ON g.id = ce.edge_id JOIN certnames n ON n.id = ce.certname_id",
    ),
    joins: &[],
    fields: &[
        Field::text("certname", "n.certname"),
        Field::text("relationship", "g.relationship"),
        Field::text("source_title", "g.source_title"),
        Field::text("source_type", "g.source_type"),
        Field::text("target_title", "g.target_title"),
        Field::text("target_type", "g.target_type"),
    ],
    relations: relations![],
    has_node: true,
    is_distinct: false,
};
