//! Nodes, environments, producers and packages.

use super::model::{Column, Entity, Field, Join, Type, by, by_certname, relations};

const NODE_JOINS: &[Join] = &[
    Join { alias: "c", sql: "LEFT JOIN catalogs c ON c.certname_id = n.id" },
    Join { alias: "ce", sql: "LEFT JOIN environments ce ON ce.id = n.catalog_environment_id" },
    Join { alias: "fe", sql: "LEFT JOIN environments fe ON fe.id = n.facts_environment_id" },
    Join {
        alias: "re",
        sql: "LEFT JOIN environments re ON re.id = n.latest_report_environment_id",
    },
];

const NODE_FIELDS: [Field; 16] = [
    Field::time("deactivated", "n.deactivated").typed(Type::Text),
    Field::hash("latest_report_hash", "n.latest_report_hash"),
    Field::text("facts_environment", "fe.environment")
        .by(&["fe"])
        .environment_id("n.facts_environment_id"),
    Field::text("cached_catalog_status", "n.cached_catalog_status"),
    Field::text("report_environment", "re.environment")
        .by(&["re"])
        .environment_id("n.latest_report_environment_id"),
    Field::boolean("latest_report_corrective_change", "n.latest_report_corrective_change"),
    Field::text("catalog_environment", "ce.environment")
        .by(&["ce"])
        .environment_id("n.catalog_environment_id"),
    Field::time("facts_timestamp", "n.facts_timestamp"),
    Field::boolean("latest_report_noop", "n.latest_report_noop"),
    Field::time("expired", "n.expired"),
    Field::boolean("latest_report_noop_pending", "n.latest_report_noop_pending"),
    Field::time("report_timestamp", "n.latest_report_timestamp"),
    Field::text("certname", "n.certname"),
    Field::time("catalog_timestamp", "c.timestamp").by(&["c"]),
    Field::text("latest_report_job_id", "n.latest_report_job_id"),
    Field::text("latest_report_status", "n.latest_report_status"),
];

/// The nodes.
pub(super) static NODES: Entity = Entity {
    name: "nodes",
    label: "nodes",
    from: Column::Same("certnames n"),
    joins: NODE_JOINS,
    fields: &NODE_FIELDS,
    relations: relations![],
    has_node: true,
    is_distinct: false,
};

const EXPIRATION_FIELDS: [Field; 18] = {
    let [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p] = NODE_FIELDS;
    let expires = Field::boolean("expires_facts", "n.facts_expire");
    let updated = Field::time("expires_facts_updated", "n.facts_expire_updated");
    [a, b, expires, c, d, e, f, g, h, i, updated, j, k, l, m, n, o, p]
};

/// The nodes with `include_facts_expiration`.
pub(super) static NODES_WITH_EXPIRATION: Entity = Entity {
    name: "nodes_with_fact_expiration",
    label: "nodes",
    from: Column::Same("certnames n"),
    joins: NODE_JOINS,
    fields: &EXPIRATION_FIELDS,
    relations: relations![],
    has_node: true,
    is_distinct: false,
};

const NAME: &[&str] = &["name"];
const ENVIRONMENT: &[&str] = &["environment"];
const PRODUCER: &[&str] = &["producer"];

/// The environments.
pub(super) static ENVIRONMENTS: Entity = Entity {
    name: "environments",
    label: "environments",
    from: Column::Same("environments e"),
    joins: &[],
    fields: &[Field::text("name", "e.environment")],
    relations: &[
        by("inventory", NAME, ENVIRONMENT),
        by("factsets", NAME, ENVIRONMENT),
        by("catalogs", NAME, ENVIRONMENT),
        by("reports", NAME, ENVIRONMENT),
        by("facts", NAME, ENVIRONMENT),
        by("fact_contents", NAME, ENVIRONMENT),
        by("events", NAME, ENVIRONMENT),
        by("resources", NAME, ENVIRONMENT),
    ],
    has_node: false,
    is_distinct: false,
};

/// The servers that sent commands.
pub(super) static PRODUCERS: Entity = Entity {
    name: "producers",
    label: "producers",
    from: Column::Same("producers pr"),
    joins: &[],
    fields: &[Field::text("name", "pr.name")],
    relations: &[
        by("factsets", NAME, PRODUCER),
        by("catalogs", NAME, PRODUCER),
        by("reports", NAME, PRODUCER),
    ],
    has_node: false,
    is_distinct: false,
};

/// The packages.
pub(super) static PACKAGES: Entity = Entity {
    name: "packages",
    label: "packages",
    from: Column::Same("packages p"),
    joins: &[],
    fields: &[
        Field::text("package_name", "p.name"),
        Field::text("version", "p.version"),
        Field::text("provider", "p.provider"),
    ],
    relations: &[],
    has_node: false,
    is_distinct: false,
};

/// The packages of nodes.
pub(super) static PACKAGE_INVENTORY: Entity = Entity {
    name: "package_inventory",
    label: "package_inventory",
    from: Column::Same(
        "certname_packages cp JOIN packages p ON p.id = cp.package_id JOIN certnames n ON n.id = cp.certname_id",
    ),
    joins: &[],
    fields: &[
        Field::text("certname", "n.certname"),
        Field::text("package_name", "p.name"),
        Field::text("version", "p.version"),
        Field::text("provider", "p.provider"),
    ],
    relations: relations![],
    has_node: true,
    is_distinct: false,
};
