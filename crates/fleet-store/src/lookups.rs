//! Queries during a compile: facts of nodes, and exported resources.

use crate::database::Connection;
use crate::error::FleetStoreError;
use crate::value::Value;

/// A resource that a node exports.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExportedRow {
    /// The node.
    pub certname: String,
    /// The title.
    pub title: String,
    /// The parameters as a JSON object, without sensitive ones.
    pub parameters: String,
    /// The tags as a JSON array.
    pub tags: String,
    /// The file that declares it.
    pub file: Option<String>,
    /// The line there.
    pub line: Option<i64>,
}

/// The facts of a node as a JSON object. Includes inactive nodes.
///
/// # Errors
/// When the database fails.
pub fn facts_of(
    connection: &mut dyn Connection,
    certname: &str,
) -> Result<Option<String>, FleetStoreError> {
    let sql = "SELECT f.facts FROM factsets f JOIN certnames c ON c.id = f.certname_id
               WHERE c.certname = $1";
    let facts = connection.value(sql, &[certname.into()])?;
    facts.map(|facts| facts.text().map(str::to_owned)).transpose()
}

/// The names and the facts, as JSON objects, of the nodes that are neither deactivated nor expired, in
/// the order of their names.
///
/// # Errors
/// When the database fails.
pub fn active_facts(
    connection: &mut dyn Connection,
) -> Result<Vec<(String, String)>, FleetStoreError> {
    let sql = "SELECT c.certname, f.facts FROM factsets f JOIN certnames c ON c.id = f.certname_id
               WHERE c.deactivated IS NULL AND c.expired IS NULL";
    let rows = connection.rows(sql, &[])?;
    let row = |row: &Vec<Value>| match &row[..] {
        [name, facts] => Ok((name.text()?.to_owned(), facts.text()?.to_owned())),
        _ => Err(FleetStoreError::failed("two columns expected")),
    };
    let mut found: Vec<(String, String)> = rows.iter().map(row).collect::<Result<_, _>>()?;
    // Databases sort by the rules of their language.
    found.sort();
    Ok(found)
}

/// The names of the nodes that have facts, and are neither deactivated nor expired, in order.
///
/// # Errors
/// When the database fails.
pub fn active_nodes(connection: &mut dyn Connection) -> Result<Vec<String>, FleetStoreError> {
    let sql = "SELECT c.certname FROM factsets f JOIN certnames c ON c.id = f.certname_id
               WHERE c.deactivated IS NULL AND c.expired IS NULL";
    let mut names = Vec::new();
    connection.each(sql, &[], &mut |row| {
        names.extend(
            row.iter().map(|name| name.text().map(str::to_owned)).collect::<Result<Vec<_>, _>>()?,
        );
        Ok(std::ops::ControlFlow::Continue(()))
    })?;
    // Databases sort by the rules of their language.
    names.sort();
    Ok(names)
}

/// The resources of a type that active nodes export, except those of one node; ordered by node and
/// title.
///
/// # Errors
/// When the database fails.
pub fn exported_resources(
    connection: &mut dyn Connection,
    r#type: &str,
    except: &str,
) -> Result<Vec<ExportedRow>, FleetStoreError> {
    let sql = "SELECT c.certname, r.title, r.parameters, t.tags, r.file, r.line
               FROM resources r JOIN catalog_resources k ON k.resource_id = r.id
                   JOIN tag_sets t ON t.id = k.tag_set_id JOIN certnames c ON c.id = k.certname_id
               WHERE r.type = $1 AND r.exported AND c.certname <> $2
                   AND c.deactivated IS NULL AND c.expired IS NULL";
    let rows = connection.rows(sql, &[r#type.into(), except.into()])?;
    let mut found: Vec<ExportedRow> =
        rows.iter().map(|row| exported(row)).collect::<Result<_, _>>()?;
    // Databases sort by their collation, so the order could differ.
    found.sort_by(|a, b| (&a.certname, &a.title).cmp(&(&b.certname, &b.title)));
    Ok(found)
}

fn exported(row: &[Value]) -> Result<ExportedRow, FleetStoreError> {
    let [certname, title, parameters, tags, file, line] = row else {
        return Err(FleetStoreError::failed("six columns expected"));
    };
    Ok(ExportedRow {
        certname: certname.text()?.to_owned(),
        title: title.text()?.to_owned(),
        parameters: parameters.text()?.to_owned(),
        tags: tags.text()?.to_owned(),
        file: file.optional(Value::text)?.map(str::to_owned),
        line: line.optional(Value::integer)?,
    })
}
