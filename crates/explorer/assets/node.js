// A node: reports, facts, resources, graph; and one of its resources.

import { action } from "./actions.js";
import { get } from "./api.js";
import { address, h, link, place, shown, status, time } from "./dom.js";
import { graph } from "./graph.js";
import { session } from "./session.js";
import { list, table } from "./table.js";

const TABS = [["reports", "Runs"], ["facts", "Facts"], ["resources", "Resources"], ["graph", "Graph"], ["catalogs", "Catalogs"]];

/** The parts that repositories without a server do not have. */
const OF_SERVERS = ["reports", "catalogs"];

export async function node({ segments, parameters, signal }) {
  const { mode } = await session();
  const isLocal = mode === "repository";
  const [name, tab = isLocal ? "resources" : "reports"] = segments;
  const revision = parameters.get("revision");
  const found = await get(["nodes", name], { revision }, signal);
  const tabs = TABS.filter(([key]) => !isLocal || !OF_SERVERS.includes(key))
    .map(([key, title]) => h("a", { href: address(["node", name, key], { revision }), "aria-current": key === tab ? "page" : null }, title));
  const values = isLocal ? localState(found, revision) : state(found);
  return [
    h("h1", {}, name, " ", isLocal ? null : status(found.status)),
    h("dl", { class: "about" }, values.map(([key, value]) => h("div", {}, h("dt", {}, key), h("dd", {}, value)))),
    found.failure ? h("p", { class: "error" }, `It does not compile: ${found.failure}`) : null,
    warnings(found.warnings),
    isLocal ? null : await actions(name, found, signal),
    h("nav", { class: "tabs", "aria-label": "Parts of the node" }, tabs, link("Compare", ["compare"], { a: name })),
    found.failure && tab !== "facts" ? null : await part(tab, name, parameters, signal, isLocal),
  ];
}

/** The buttons for users who may do more than read. */
async function actions(name, found, signal) {
  const { may_sign: maySign } = await session();
  const again = () => dispatchEvent(new HashChangeEvent("hashchange"));
  const buttons = [];
  if (found.may_run && found.active) {
    buttons.push(action({
      name: "Run now", title: `Run ${name} now?`, text: "Its agent applies the catalog, if it is an agent of Ordain that holds a connection.", confirm: `Run ${name}`,
      request: () => ({ segments: ["runs"], body: { nodes: [name] } }), done: ({ run }) => { location.hash = address(["run", String(run)]); },
    }));
  }
  if (found.may_admin) buttons.push(await pin(name, found, again, signal));
  if (found.may_admin && found.pin) {
    buttons.push(action({
      name: "Unpin", title: `Unpin ${name}?`, text: `It gets the current code again, and no longer the revision ${found.pin.revision}.`, confirm: `Unpin ${name}`,
      request: () => ({ method: "DELETE", segments: ["nodes", name, "pin"] }), done: again,
    }));
  }
  if (found.may_admin && found.active) {
    buttons.push(action({
      name: "Deactivate", title: `Deactivate ${name}?`,
      text: "Lists leave the node out, and its exported resources are no longer collected, until it sends data again. After 14 days its data is deleted. Its certificate stays valid.", confirm: `Deactivate ${name}`,
      request: () => ({ segments: ["nodes", name, "deactivate"] }), done: again,
    }));
  }
  if (maySign) buttons.push(link("Certificate", ["certificates"], { name }));
  return buttons.length === 0 ? null : h("p", { class: "buttons" }, buttons);
}

/** The button that pins a node to a revision, with the deployed ones of its environment. */
async function pin(name, found, done, signal) {
  const { rows } = await get(["revisions"], { limit: 500 }, signal);
  const own = rows.filter((row) => row.name.startsWith(`${found.environment}@`));
  const ids = own.map((row) => h("option", { value: row.name.split("@")[1] }, row.subject ?? ""));
  return action({
    name: "Pin", title: `Pin ${name} to a revision?`, text: "The server compiles this revision of the code for the node from now on.", confirm: `Pin ${name}`,
    fields: [h("label", {}, "Revision", h("input", { name: "revision", list: "pins", required: true, spellcheck: "false", autocomplete: "off" })), h("datalist", { id: "pins" }, ids)],
    request: ({ revision }) => ({ method: "PUT", segments: ["nodes", name, "pin"], body: { revision } }), done,
  });
}

/** The state of a node of a server. */
function state(found) {
  const about = [
    ["Environment", found.environment ?? "none"],
    ["Last run", time(found.report_time)],
    ["Facts", time(found.facts_time)],
    ["Catalog", found.catalog_time ? [time(found.catalog_time), `, ${found.resources} resources`] : `${found.resources} resources`],
  ];
  if (found.pin) about.push(["Pinned to", [h("code", {}, found.pin.revision), ` by ${found.pin.by}, `, time(found.pin.time)]]);
  if (!found.active) about.push(["State", "not active"]);
  return about;
}

/** The state of a node of a repository. */
function localState(found, revision) {
  const about = [["Revision", revision ? h("code", {}, revision) : "the work tree"]];
  if (found.environment) about.push(["Environment", found.environment]);
  if (!found.failure) about.push(["Resources", String(found.resources)]);
  return about;
}

function warnings(list = []) {
  if (list.length === 0) return null;
  return h("details", {}, h("summary", {}, list.length === 1 ? "1 warning" : `${list.length} warnings`), h("ul", {}, list.map((text) => h("li", {}, text))));
}

function part(tab, name, parameters, signal, isLocal) {
  const q = parameters.get("q") ?? "";
  const revision = parameters.get("revision") ?? "";
  switch (tab) {
    case "reports":
      return table({ caption: "Runs", path: ["nodes", name, "reports"], columns: REPORTS, empty: "No reports.", signal });
    case "facts":
      return [filter(["node", name, tab], q, "Filter paths and values", { revision }),
        table({ caption: "Facts", path: ["nodes", name, "facts"], parameters: { q, revision }, columns: isLocal ? LOCAL_FACTS : FACTS, empty: "No facts.", signal })];
    case "resources":
      return [filter(["node", name, tab], q, "Filter resources and files", { revision }),
        table({ caption: "Resources", path: ["nodes", name, "resources"], parameters: { q, revision }, columns: resources(name, revision), empty: "No resources.", signal })];
    case "catalogs":
      return [h("p", { class: "quiet" }, "A catalog is here again only if it differs from the one before it."),
        table({ caption: "Catalogs", path: ["nodes", name, "catalogs"], columns: catalogs(name), empty: "No catalogs.", signal })];
    case "graph":
      return graph(name, parameters, signal);
    default:
      throw new Error(`there is no page ${tab} of a node`);
  }
}

/** A field that filters the table after it. */
function filter(segments, q, label, more) {
  const input = h("input", { type: "search", name: "q", value: q, "aria-label": label, placeholder: label, autocomplete: "off" });
  return h("form", { class: "filters", onsubmit: (event) => { event.preventDefault(); location.hash = address(segments, { ...more, q: input.value }); } },
    input, h("button", {}, "Filter"));
}

const REPORTS = [
  ["End", (row) => h("a", { href: address(["report", row.report]) }, time(row.end_time))],
  ["Status", (row) => status(row.status)],
  ["Seconds", (row) => shown(row.seconds)],
  ["Events", (row) => String(row.events)],
  ["Environment", (row) => row.environment ?? ""],
  ["Version", (row) => row.version],
];

const catalogs = (name) => [
  ["First sent", (row) => {
    const text = row.first_sent ? time(row.first_sent) : "not recorded";
    return row.time ? link(text, ["compare"], { a: name, a_time: row.time, b: name }) : text;
  }],
  ["Replaced", (row) => (row.replaced ? time(row.replaced) : "the last catalog")],
  ["Resources", (row) => String(row.resources)],
  ["Environment", (row) => row.environment ?? ""],
  ["Version", (row) => row.version],
  ["Code", (row) => (row.code ? h("code", {}, row.code) : "not recorded")],
  ["What the next one changed", (row) => (row.time ? link("Changes", ["compare"], { a: name, a_time: row.time, b: name, b_time: row.next }) : "")],
];

const LOCAL_FACTS = [
  ["Fact", (row) => h("code", {}, row.fact)],
  ["Value", (row) => h("code", {}, shown(row.value))],
];

const FACTS = [
  ...LOCAL_FACTS,
  ["Nodes with it", (row) => (typeof row.value === "object" || row.fact.includes("[") ? "" : link("same value", ["nodes"], { fact: `${row.fact}=${row.value}` }))],
];

const resources = (name, revision) => [
  ["Resource", (row) => link(row.resource, ["node", name, "resource"], { resource: row.resource, revision })],
  ["Declared at", (row) => place(row.file, row.line)],
];

/** One resource of a node. */
export async function resource({ segments, parameters, signal }) {
  const [name] = segments;
  const wanted = parameters.get("resource");
  const revision = parameters.get("revision");
  const [found, about, { mode }] = await Promise.all([get(["nodes", name, "resource"], { resource: wanted, revision }, signal), get(["nodes", name], { revision }, signal), session()]);
  const why = (attribute, text) => (about.may_plan ? link(text, ["node", name, "why"], { resource: wanted, attribute, revision }) : "");
  const other = (row) => (row.from === wanted ? row.to : row.from);
  const words = { contains: ["contains", "is contained in"], before: ["comes before", "comes after"], notifies: ["notifies", "is notified by"], other: ["relates to", "relates to"] };
  return [
    h("p", { class: "crumbs" }, link(name, ["node", name], { revision }), " / ", link("Resources", ["node", name, "resources"], { revision })),
    h("h1", {}, wanted),
    h("p", {}, place(found.file, found.line), " ", why("", "Why does it exist?"), " ",
      link("Graph", ["node", name, "graph"], { center: wanted, revision }), " ",
      mode === "repository" ? null : link("Nodes with it", ["nodes"], { resource: wanted })),
    list("Attributes", [
      ["Attribute", ([key]) => h("code", {}, key)],
      ["Value", ([, value]) => h("pre", {}, shown(value))],
      ["Origin", ([key]) => why(key, `Why ${key}?`)],
    ], Object.entries(found.parameters), "No attributes."),
    list("Relations", [
      ["Relation", (row) => words[row.kind][row.from === wanted ? 0 : 1]],
      ["Resource", (row) => link(other(row), ["node", name, "resource"], { resource: other(row), revision })],
    ], found.relations, "No relations."),
    h("p", { class: "quiet" }, `Tags: ${(found.tags ?? []).join(", ")}`),
  ];
}
