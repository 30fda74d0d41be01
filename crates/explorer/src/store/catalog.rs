//! The catalogs of a node: resources, and the graph of their relations.

use ordain_fleet_store::{
    CatalogContent, Connection, FleetStoreError, StoredCatalog, Value, catalog_content,
    format_time, parse_time, stored_catalogs,
};
use ordain_graph::{
    Attribute, Containment, Edge, EdgeKind, Graph, Origin, Resource, ResourceRef, Step,
};
use serde_json::{Value as Json, json};

use super::nodes::kind_and_title;
use super::page::{Page, Sql, columns, count, json_number, json_text, json_value};
use crate::document::{Document, Table, table_document};
use crate::error::ExplorerError;
use crate::links::Links;
use crate::role::Role;

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

    /// `nodes/NAME/catalogs`: the stored catalogs, the last one first. `time` chooses a catalog in
    /// comparisons, `next` the one that has replaced it; the last one has no such time.
    pub(super) fn catalogs(
        &self,
        connection: &mut dyn Connection,
        node: &str,
    ) -> Result<Document, ExplorerError> {
        self.node_id(connection, node)?;
        let found = self.visible_catalogs(connection, node)?;
        let time = |time: Option<i64>| json!(time.map(format_time));
        let mut next = Json::Null;
        let rows = found.into_iter().map(|one| {
            let chosen = time_to_choose(&one);
            vec![
                chosen.clone(),
                std::mem::replace(&mut next, chosen),
                time(one.first_sent),
                time(Some(one.last_sent)),
                time(one.replaced),
                json!(one.environment),
                json!(one.version),
                json!(one.code_id),
                json!(one.resources),
            ]
        });
        let columns = &[
            "time",
            "next",
            "first_sent",
            "last_sent",
            "replaced",
            "environment",
            "version",
            "code",
            "resources",
        ];
        table_document(columns, rows.collect(), self.request)
    }

    /// The stored catalogs of a node without those of environments that the user may not see.
    fn visible_catalogs(
        &self,
        connection: &mut dyn Connection,
        node: &str,
    ) -> Result<Vec<StoredCatalog>, FleetStoreError> {
        let mut found = stored_catalogs(connection, node)?;
        found.retain(|catalog| self.may_see_catalog(catalog));
        Ok(found)
    }

    /// Whether the user may see a catalog of a node that the user may see.
    pub(super) fn may_see_catalog(&self, catalog: &StoredCatalog) -> bool {
        // The environment of the node was checked; its last catalog may have none.
        catalog.number.is_none() || self.viewer.may(Role::Read, catalog.environment.as_deref())
    }

    /// The graph of the catalog that a node had at a time; without one, of the last catalog.
    pub(super) fn catalog_graph(
        &self,
        connection: &mut dyn Connection,
        node: &str,
        time: Option<&str>,
    ) -> Result<Graph, ExplorerError> {
        self.node_id(connection, node)?;
        let number = match time {
            None => None,
            Some(text) => {
                let time = time_of(text)?;
                let all = self.visible_catalogs(connection, node)?;
                let found = all.into_iter().find(|one| one.is_of(time));
                let missing = || ExplorerError::Missing(format!("catalog of {node} at {text}"));
                found.ok_or_else(missing)?.number
            }
        };
        let content = catalog_content(connection, node, number)?.unwrap_or_default();
        Ok(graph_of(node, content))
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

/// A time such as `2026-11-27T10:00:00Z`, `2026-11-27T10:00` or `2026-11-27`; without an offset in
/// UTC.
///
/// # Errors
/// When the text has another form.
fn time_of(text: &str) -> Result<i64, ExplorerError> {
    let forms = [text.to_owned(), format!("{text}Z"), format!("{text}T00:00Z")];
    forms.iter().find_map(|text| parse_time(text)).ok_or_else(|| {
        ExplorerError::Parameter(format!("`{text}` is no time such as 2026-11-27T10:00:00Z"))
    })
}

/// The time that chooses a stored catalog in comparisons; `null` for the last one.
pub(super) fn time_to_choose(catalog: &StoredCatalog) -> Json {
    let time = catalog.number.map(|_| catalog.first_sent.unwrap_or(catalog.last_sent));
    json!(time.map(format_time))
}

/// The graph of a stored catalog.
fn graph_of(name: &str, content: CatalogContent) -> Graph {
    let mut graph = Graph::default();
    graph.name = name.into();
    let step = Step::External("the stored catalog".into());
    let origin = graph.origins.intern(Origin { step, span: None, parent: None });
    for ((kind, title), found) in content.resources {
        let attributes: Json = serde_json::from_str(&found.parameters).unwrap_or_default();
        let attribute = |(name, value): (&String, &Json)| {
            // Plain JSON, in which no key has a meaning.
            let value = ordain_data::json::read(&value.to_string()).unwrap_or_default();
            Attribute { name: name.as_str().into(), value, origin, losers: Vec::new() }
        };
        graph.add(Resource {
            id: ResourceRef { kind: kind.into(), title: title.into() },
            containment: Containment::Leaf,
            attributes: attributes.as_object().into_iter().flatten().map(attribute).collect(),
            tags: Vec::new(),
            exported: found.exported,
            is_virtual: false,
            origin,
        });
    }
    for edge in content.edges {
        let name = |(kind, title): &(String, String)| format!("{kind}[{title}]");
        let found = [&edge.source, &edge.target].map(|end| graph.find_text(&name(end)));
        let [Some(from), Some(to)] = found else { continue };
        match word(&edge.relationship) {
            "contains" => graph.containment.push((from, to)),
            "notifies" => graph.edges.push(Edge { from, to, kind: EdgeKind::Notify, origin }),
            _ => graph.edges.push(Edge { from, to, kind: EdgeKind::Before, origin }),
        }
    }
    graph
}

/// The word for a relation. PuppetDB writes each relation in the direction in which the code has it.
fn word(relationship: &str) -> &'static str {
    match relationship {
        "contains" => "contains",
        "required-by" | "before" => "before",
        "notifies" | "subscription-of" => "notifies",
        _ => "other",
    }
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
    let found = |row: &Vec<Value>| {
        let [from_type, from_title, to_type, to_title, kind] = &row[..] else {
            return Err(columns(5));
        };
        let from = (from_type.text()?, from_title.text()?);
        let to = (to_type.text()?, to_title.text()?);
        Ok(relation(from, to, kind.text()?))
    };
    rows.iter().map(found).collect()
}

/// The relations of a stored catalog of a node.
pub(super) fn edges_of(
    connection: &mut dyn Connection,
    (id, name): (i64, &str),
    catalog: &StoredCatalog,
) -> Result<Vec<Relation>, FleetStoreError> {
    if catalog.number.is_none() {
        return edges(connection, id);
    }
    let content = catalog_content(connection, name, catalog.number)?.unwrap_or_default();
    fn end((kind, title): &(String, String)) -> (&str, &str) {
        (kind, title)
    }
    let found = content.edges.iter();
    Ok(found.map(|one| relation(end(&one.source), end(&one.target), &one.relationship)).collect())
}

fn relation(from: (&str, &str), to: (&str, &str), relationship: &str) -> Relation {
    let name = |(kind, title): (&str, &str)| format!("{kind}[{title}]");
    (name(from), name(to), word(relationship))
}
