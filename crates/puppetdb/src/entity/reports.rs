//! Reports and their events.

use super::model::{Column, Entity, Field, Join, Stored, Type, by, by_certname, relations};

const FROM_REPORTS: Column = Column::Same("reports r");
const NODE_OF_REPORT: Join = Join { alias: "n", sql: "JOIN certnames n ON n.id = r.certname_id" };
const BY_ENVIRONMENT: super::model::Relation = by("environments", &["environment"], &["name"]);

const REPORT_TYPE: Field = Field::text("type", "r.report_type");

/// The reports of runs.
pub(super) static REPORTS: Entity = Entity {
    name: "reports",
    label: "reports",
    from: FROM_REPORTS,
    joins: &[
        NODE_OF_REPORT,
        Join { alias: "e", sql: "LEFT JOIN environments e ON e.id = r.environment_id" },
        Join { alias: "pr", sql: "LEFT JOIN producers pr ON pr.id = r.producer_id" },
    ],
    fields: &[
        Field::text("catalog_uuid", "r.catalog_uuid"),
        Field::time("receive_time", "r.receive_time"),
        Field::text("producer", "pr.name").by(&["pr"]),
        Field::hash("hash", "r.hash"),
        Field::text("transaction_uuid", "r.transaction_uuid"),
        Field::text("puppet_version", "r.puppet_version"),
        Field::boolean("noop", "r.noop"),
        Field::boolean("corrective_change", "r.corrective_change").typed(Type::Text),
        Field::shown("logs", Stored::Compressed, "r.logs_zstd"),
        Field::number("report_format", "r.report_format"),
        Field::time("start_time", "r.start_time"),
        Field::time("producer_timestamp", "r.producer_timestamp"),
        REPORT_TYPE,
        Field::text("cached_catalog_status", "r.cached_catalog_status"),
        Field::time("end_time", "r.end_time"),
        Field::shown("resource_events", Stored::Part, "").each(
            "json_array(lower(hex(r.hash)), 'events', json((SELECT json_group_array(json_object('status', \
             ev.status, 'timestamp', ev.timestamp, 'resource_type', ev.resource_type, 'resource_title', \
             ev.resource_title, 'property', ev.property, 'corrective_change', \
             json(CASE ev.corrective_change WHEN 1 THEN 'true' WHEN 0 THEN 'false' ELSE 'null' END), \
             'new_value', json(ev.new_value), 'old_value', json(ev.old_value), 'message', ev.message, 'file', \
             ev.file, 'line', ev.line, 'containment_path', json(ev.containment_path), 'containing_class', \
             ev.containing_class, 'name', ev.name)) FROM events ev WHERE ev.report_id = r.id)))",
            "jsonb_build_array(encode(r.hash, 'hex'), 'events', (SELECT jsonb_agg(jsonb_build_object('status', \
             ev.status, 'timestamp', ev.timestamp, 'resource_type', ev.resource_type, 'resource_title', \
             ev.resource_title, 'property', ev.property, 'corrective_change', ev.corrective_change, \
             'new_value', ev.new_value, 'old_value', ev.old_value, 'message', ev.message, 'file', ev.file, \
             'line', ev.line, 'containment_path', ev.containment_path, 'containing_class', \
             ev.containing_class, 'name', ev.name)) FROM events ev WHERE ev.report_id = r.id))",
        ),
        Field::text("status", "r.status"),
        Field::text("configuration_version", "r.configuration_version"),
        Field::text("environment", "e.environment").by(&["e"]),
        Field::text("code_id", "r.code_id"),
        Field::boolean("noop_pending", "r.noop_pending"),
        Field::text("certname", "n.certname").by(&["n"]),
        Field::shown("metrics", Stored::Compressed, "r.metrics_zstd"),
        Field::text("job_id", "r.job_id"),
        Field::text("latest_report?", "").hidden(),
    ],
    relations: relations![
        BY_ENVIRONMENT,
        by("producers", &["producer"], &["name"]),
        by("events", &["hash"], &["report"]),
    ],
    has_node: true,
    is_distinct: false,
};

/// The metrics of a report.
pub(super) static REPORT_METRICS: Entity = Entity {
    name: "report_metrics",
    label: "metrics",
    from: FROM_REPORTS,
    joins: &[NODE_OF_REPORT],
    fields: &[
        Field::shown("metrics", Stored::Compressed, "r.metrics_zstd"),
        Field::hash("hash", "r.hash").hidden(),
        REPORT_TYPE.hidden(),
    ],
    relations: &[],
    has_node: true,
    is_distinct: false,
};

/// The log messages of a report.
pub(super) static REPORT_LOGS: Entity = Entity {
    name: "report_logs",
    label: "logs",
    from: FROM_REPORTS,
    joins: &[NODE_OF_REPORT],
    fields: &[
        Field::shown("logs", Stored::Compressed, "r.logs_zstd"),
        Field::hash("hash", "r.hash").hidden(),
        REPORT_TYPE.hidden(),
    ],
    relations: &[],
    has_node: true,
    is_distinct: false,
};

/// The events of reports.
pub(super) static EVENTS: Entity = Entity {
    name: "events",
    label: "events",
    from: Column::Same("events ev"),
    joins: &[
        Join { alias: "r", sql: "JOIN reports r ON r.id = ev.report_id" },
        Join { alias: "n", sql: "JOIN certnames n ON n.id = ev.certname_id" },
        Join { alias: "e", sql: "LEFT JOIN environments e ON e.id = r.environment_id" },
    ],
    fields: &[
        Field::json("new_value", Type::Text, "ev.new_value"),
        Field::hash("report", "r.hash").by(&["r"]),
        Field::boolean("corrective_change", "ev.corrective_change"),
        Field::time("run_start_time", "r.start_time").by(&["r"]),
        Field::text("property", "ev.property"),
        Field::text("name", "ev.name"),
        Field::text("file", "ev.file"),
        Field::json("old_value", Type::Text, "ev.old_value"),
        Field::text("containing_class", "ev.containing_class"),
        Field::number("line", "ev.line"),
        Field::text("resource_type", "ev.resource_type"),
        Field::text("status", "ev.status"),
        Field::text("configuration_version", "r.configuration_version").by(&["r"]),
        Field::text("resource_title", "ev.resource_title"),
        Field::text("environment", "e.environment").by(&["r", "e"]),
        Field::time("timestamp", "ev.timestamp"),
        Field::time("run_end_time", "r.end_time").by(&["r"]),
        Field::time("report_receive_time", "r.receive_time").by(&["r"]),
        Field::json("containment_path", Type::Array, "ev.containment_path"),
        Field::text("certname", "n.certname").by(&["n"]),
        Field::text("message", "ev.message"),
        Field::boolean("latest_report?", "").hidden(),
    ],
    relations: relations![by("reports", &["report"], &["hash"]), BY_ENVIRONMENT],
    has_node: true,
    is_distinct: false,
};
