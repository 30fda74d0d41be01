//! The events of two runs side by side.

use std::collections::{BTreeMap, HashMap};
use std::ops::ControlFlow;

use ordain_fleet_store::{Connection, FleetStoreError, Value};
use serde_json::{Value as Json, json};

use super::page::{Page, columns, json_flag, json_text, json_time, json_value};
use super::reports::stored_durations;
use crate::document::{Document, table_document};
use crate::error::ExplorerError;

/// The maximum number of events of a run that are compared.
const MAX_EVENTS: usize = 100_000;

/// An event without its resource and attribute.
#[derive(Clone, Debug, Default)]
struct Event {
    /// The word for the status, as on the page of a run.
    status: Json,
    /// The value that the run found.
    old: Json,
    /// The value that the run wanted.
    new: Json,
    time: Json,
    message: Json,
}

/// The resource, the attribute, and the place among events of the same attribute.
type EventKey = (String, String, usize);

const COLUMNS: &[&str] = &[
    "resource",
    "property",
    "first_status",
    "first_old_value",
    "first_new_value",
    "first_message",
    "first_time",
    "first_seconds",
    "second_status",
    "second_old_value",
    "second_new_value",
    "second_message",
    "second_time",
    "second_seconds",
];

impl Page<'_> {
    /// `reports/ID/compare`: the events that differ between this report and the one that the
    /// parameter `other` names, by their status, values or message. A side without the event has
    /// nulls. With `equal=yes`, events that are the same are in the table, too.
    pub(super) fn compared_runs(
        &self,
        connection: &mut dyn Connection,
        hash: &str,
    ) -> Result<Document, ExplorerError> {
        let missing = || ExplorerError::Parameter("the parameter `other` is missing".to_owned());
        let other = self.request.parameter("other").ok_or_else(missing)?;
        let mut sides: Vec<(BTreeMap<EventKey, Event>, HashMap<String, f64>)> = Vec::new();
        for hash in [hash, other] {
            let id = self.find_report(connection, hash)?.id;
            sides.push((events(connection, id)?, stored_durations(connection, id)?.1));
        }
        let mut pairs: BTreeMap<EventKey, [Option<Event>; 2]> = BTreeMap::new();
        let mut seconds: Vec<HashMap<String, f64>> = Vec::new();
        for (side, (found, durations)) in sides.into_iter().enumerate() {
            for (key, event) in found {
                pairs.entry(key).or_default()[side] = Some(event);
            }
            seconds.push(durations);
        }
        let shows_equal = self.request.parameter("equal").is_some();
        let rows = pairs.into_iter().filter(|(_, [one, two])| shows_equal || !is_equal(one, two));
        let rows = rows.map(|((resource, property, _), pair)| {
            let attribute = if property.is_empty() { Json::Null } else { json!(property) };
            let mut row = vec![json!(resource), attribute];
            for (event, seconds) in pair.into_iter().zip(&seconds) {
                let event = event.unwrap_or_default();
                row.extend([event.status, event.old, event.new, event.message, event.time]);
                row.push(json!(seconds.get(&resource)));
            }
            row
        });
        table_document(COLUMNS, rows.collect(), self.request)
    }
}

/// Whether both runs had the event, with the same status, values and message.
fn is_equal(one: &Option<Event>, two: &Option<Event>) -> bool {
    let (Some(one), Some(two)) = (one, two) else { return false };
    (&one.status, &one.old, &one.new, &one.message)
        == (&two.status, &two.old, &two.new, &two.message)
}

/// The events of a report.
fn events(
    connection: &mut dyn Connection,
    report: i64,
) -> Result<BTreeMap<EventKey, Event>, FleetStoreError> {
    let sql = "SELECT resource_type, resource_title, property, status, corrective_change,
                   old_value, new_value, timestamp, message
               FROM events WHERE report_id = $1 ORDER BY ordinal LIMIT $2";
    let most = i64::try_from(MAX_EVENTS).unwrap_or(i64::MAX);
    let mut found = BTreeMap::new();
    let mut places: HashMap<(String, String), usize> = HashMap::new();
    connection.each(sql, &[report.into(), most.into()], &mut |row| {
        let [kind, title, property, status, corrective, old, new, time, message] = row else {
            return Err(columns(9));
        };
        let resource = format!("{}[{}]", kind.text()?, title.text()?);
        let property = property.optional(Value::text)?.unwrap_or_default().to_owned();
        let place = places.entry((resource.clone(), property.clone())).or_default();
        let event = Event {
            status: match status.text()? {
                "success" if json_flag(corrective)? == json!(true) => json!("corrective"),
                "success" => json!("changed"),
                other => json!(other),
            },
            old: json_value(old)?,
            new: json_value(new)?,
            time: json_time(time)?,
            message: json_text(message)?,
        };
        found.insert((resource, property, *place), event);
        *place += 1;
        Ok(ControlFlow::Continue(()))
    })?;
    Ok(found)
}
