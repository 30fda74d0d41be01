//! The catalog of a node: resources, and the graph of their relations.

use ordain_fleet_store::{Connection, FleetStoreError, Value};
use ordain_graph::{
    Attribute, Containment, Edge, EdgeKind, Graph, Origin, Resource, ResourceRef, Step,
};
use serde_json::{Value as Json, json};

use super::nodes::kind_and_title;
use super::page::{Page, Sql, columns, count, json_number, json_text, json_value};
use crate::document::{Document, Table};
use crate::error::ExplorerError;
use crate::links::Links;

impl Page<'_> {
    /// `nodes/NAME/resources`: the resources whose type, title or file contains `q`.
    pub(super) fn resources(
        &self,
        connection: &mut dyn Connection,
        node: &str,
    ) -> Result<Document, ExplorerError> {
        let (id, part) = (self.node_id(connection, node)?, self.request.part()?);
        let mut from = Sql::new("");
        from.text(
            " FROM catalog_resources k JOIN resources r ON r.id = k.resource_id
             WHERE k.certname_id = ",
        );
        from.bind(id);
        if let Some(text) = self.request.parameter("q") {
            from.text(" AND (").contains("r.type || '[' || r.title || ']'", text);
            from.text(" OR ").contains("r.file", text).text(")");
        }
        let counted = Sql { text: format!("SELECT count(*){}", from.text), values: from.values };
        let total = count(connection, &counted)?;
        let text = counted.text.replacen("count(*)", "r.type, r.title, r.file, r.line", 1);
        let mut sql = Sql { text, values: counted.values };
        sql.text(" ORDER BY r.type, r.title LIMIT ").bind(part.limit);
        sql.text(" OFFSET ").bind(part.offset);
        let rows = connection.rows(&sql.text, &sql.values)?;
        let row = |row: &Vec<Value>| {
            let [kind, title, file, line] = &row[..] else { return Err(columns(4)) };
            let name = format!("{}[{}]", kind.text()?, title.text()?);
            Ok(vec![json!(name), json_text(file)?, json_number(line)?])
        };
        let rows = rows.iter().map(row).collect::<Result<_, FleetStoreError>>()?;
        Table { columns: &["resource", "file", "line"], rows, total }.document(self.request)
    }

    /// `nodes/NAME/resource`: the parameters, tags and relations of the resource that the parameter
    /// `resource` names.
    pub(super) fn resource(
        &self,
        connection: &mut dyn Connection,
        node: &str,
    ) -> Result<Document, ExplorerError> {
        let id = self.node_id(connection, node)?;
        let name = self.request.parameter("resource").unwrap_or_default();
        let (kind, title) = kind_and_title(name)?;
        let mut sql = Sql::new(
            "SELECT r.parameters, t.tags, r.file, r.line FROM catalog_resources k
             JOIN resources r ON r.id = k.resource_id JOIN tag_sets t ON t.id = k.tag_set_id
             WHERE k.certname_id = ",
        );
        sql.bind(id).text(" AND r.type = ").bind(kind).text(" AND r.title = ").bind(title);
        let row = connection.row(&sql.text, &sql.values)?;
        let row =
            row.ok_or_else(|| ExplorerError::Missing(format!("resource {name} of {node}")))?;
        let [parameters, tags, file, line] = &row[..] else { return Err(columns(4).into()) };
        let mut relations = Vec::new();
        for (from, to, relation) in edges(connection, id)? {
            if from == name || to == name {
                relations.push(json!({ "from": from, "to": to, "kind": relation }));
            }
        }
        Ok(Document::json(&json!({
            "resource": name,
            "parameters": json_value(parameters)?,
            "tags": json_value(tags)?,
            "file": json_text(file)?,
            "line": json_number(line)?,
            "relations": relations,
        })))
    }

    /// `nodes/NAME/graph`: the neighbourhood of a resource; see [`Links::neighbourhood`].
    pub(super) fn graph(
        &self,
        connection: &mut dyn Connection,
        node: &str,
    ) -> Result<Document, ExplorerError> {
        let id = self.node_id(connection, node)?;
        let mut links = Links::default();
        for (from, to, kind) in edges(connection, id)? {
            links.add(&from, &to, kind);
        }
        let mut sql = Sql::new(
            "SELECT r.type, r.title FROM catalog_resources k JOIN resources r
             ON r.id = k.resource_id WHERE k.certname_id = ",
        );
        sql.bind(id);
        for row in connection.rows(&sql.text, &sql.values)? {
            let [kind, title] = &row[..] else { return Err(columns(2).into()) };
            links.number(&format!("{}[{}]", kind.text()?, title.text()?));
        }
        Ok(Document::json(&links.neighbourhood(self.request)?))
    }
}

/// The graph of a stored catalog.
pub(super) fn graph_of(
    connection: &mut dyn Connection,
    node: i64,
    name: &str,
) -> Result<Graph, FleetStoreError> {
    let mut graph = Graph::default();
    graph.name = name.into();
    let step = Step::External("the stored catalog".into());
    let origin = graph.origins.intern(Origin { step, span: None, parent: None });
    let sql = "SELECT r.type, r.title, r.parameters, r.exported FROM catalog_resources k
               JOIN resources r ON r.id = k.resource_id WHERE k.certname_id = $1
               ORDER BY r.type, r.title";
    for row in connection.rows(sql, &[node.into()])? {
        let [kind, title, parameters, exported] = &row[..] else { return Err(columns(4)) };
        let attributes = json_value(parameters)?;
        let attribute = |(name, value): (&String, &Json)| {
            // Plain JSON, in which no key has a meaning.
            let value = ordain_data::json::read(&value.to_string()).unwrap_or_default();
            Attribute { name: name.as_str().into(), value, origin, losers: Vec::new() }
        };
        graph.add(Resource {
            id: ResourceRef { kind: kind.text()?.into(), title: title.text()?.into() },
            containment: Containment::Leaf,
            attributes: attributes.as_object().into_iter().flatten().map(attribute).collect(),
            tags: Vec::new(),
            exported: exported.boolean()?,
            is_virtual: false,
            origin,
        });
    }
    for (from, to, relation) in edges(connection, node)? {
        let (Some(from), Some(to)) = (graph.find_text(&from), graph.find_text(&to)) else {
            continue;
        };
        match relation {
            "contains" => graph.containment.push((from, to)),
            "notifies" => graph.edges.push(Edge { from, to, kind: EdgeKind::Notify, origin }),
            _ => graph.edges.push(Edge { from, to, kind: EdgeKind::Before, origin }),
        }
    }
    Ok(graph)
}

/// A relation: from, to, kind. The resource of `from` contains that of `to`, or comes before it.
pub(super) type Relation = (String, String, &'static str);

/// The relations of a catalog.
pub(super) fn edges(
    connection: &mut dyn Connection,
    node: i64,
) -> Result<Vec<Relation>, FleetStoreError> {
    let sql = "SELECT e.source_type, e.source_title, e.target_type, e.target_title, e.relationship
               FROM catalog_edges k JOIN edges e ON e.id = k.edge_id WHERE k.certname_id = $1";
    let rows = connection.rows(sql, &[node.into()])?;
    let relation = |row: &Vec<Value>| {
        let [from_type, from_title, to_type, to_title, kind] = &row[..] else {
            return Err(columns(5));
        };
        let from = format!("{}[{}]", from_type.text()?, from_title.text()?);
        let to = format!("{}[{}]", to_type.text()?, to_title.text()?);
        // PuppetDB writes each relation in the direction in which the code has it.
        Ok(match kind.text()? {
            "contains" => (from, to, "contains"),
            "required-by" | "before" => (from, to, "before"),
            "notifies" | "subscription-of" => (from, to, "notifies"),
            _ => (from, to, "other"),
        })
    };
    rows.iter().map(relation).collect()
}
