// A node: reports, facts, resources, graph; and one of its resources.

import { get } from "./api.js";
import { address, h, link, place, shown, status, time } from "./dom.js";
import { graph } from "./graph.js";
import { list, table } from "./table.js";

const TABS = [["reports", "Runs"], ["facts", "Facts"], ["resources", "Resources"], ["graph", "Graph"]];

export async function node({ segments, parameters, signal }) {
  const [name, tab = "reports"] = segments;
  const found = await get(["nodes", name], {}, signal);
  const about = [
    ["Environment", found.environment ?? "none"],
    ["Last run", time(found.report_time)],
    ["Facts", time(found.facts_time)],
    ["Catalog", found.catalog_time ? [time(found.catalog_time), `, ${found.resources} resources`] : `${found.resources} resources`],
  ];
  if (found.pin) about.push(["Pinned to", [h("code", {}, found.pin.revision), ` by ${found.pin.by}, `, time(found.pin.time)]]);
  if (!found.active) about.push(["State", "not active"]);
  const tabs = TABS.map(([key, title]) => h("a", { href: address(["node", name, key]), "aria-current": key === tab ? "page" : null }, title));
  return [
    h("h1", {}, name, " ", status(found.status)),
    h("dl", { class: "about" }, about.map(([key, value]) => h("div", {}, h("dt", {}, key), h("dd", {}, value)))),
    h("nav", { class: "tabs", "aria-label": "Parts of the node" }, tabs),
    await part(tab, name, parameters, signal),
  ];
}

function part(tab, name, parameters, signal) {
  const q = parameters.get("q") ?? "";
  switch (tab) {
    case "reports":
      return table({ caption: "Runs", path: ["nodes", name, "reports"], columns: REPORTS, empty: "No reports.", signal });
    case "facts":
      return [filter(["node", name, tab], q, "Filter paths and values"),
        table({ caption: "Facts", path: ["nodes", name, "facts"], parameters: { q }, columns: FACTS, empty: "No facts.", signal })];
    case "resources":
      return [filter(["node", name, tab], q, "Filter resources and files"),
        table({ caption: "Resources", path: ["nodes", name, "resources"], parameters: { q }, columns: resources(name), empty: "No resources.", signal })];
    case "graph":
      return graph(name, parameters, signal);
    default:
      throw new Error(`there is no page ${tab} of a node`);
  }
}

/** A field that filters the table after it. */
function filter(segments, q, label) {
  const input = h("input", { type: "search", name: "q", value: q, "aria-label": label, placeholder: label, autocomplete: "off" });
  return h("form", { class: "filters", onsubmit: (event) => { event.preventDefault(); location.hash = address(segments, { q: input.value }); } },
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

const FACTS = [
  ["Fact", (row) => h("code", {}, row.fact)],
  ["Value", (row) => h("code", {}, shown(row.value))],
  ["Nodes with it", (row) => (typeof row.value === "object" || row.fact.includes("[") ? "" : link("same value", ["nodes"], { fact: `${row.fact}=${row.value}` }))],
];

const resources = (name) => [
  ["Resource", (row) => link(row.resource, ["node", name, "resource"], { resource: row.resource })],
  ["Declared at", (row) => place(row.file, row.line)],
];

/** One resource of a node. */
export async function resource({ segments, parameters, signal }) {
  const [name] = segments;
  const wanted = parameters.get("resource");
  const [found, about] = await Promise.all([get(["nodes", name, "resource"], { resource: wanted }, signal), get(["nodes", name], {}, signal)]);
  const why = (attribute, text) => (about.may_plan ? link(text, ["node", name, "why"], { resource: wanted, attribute }) : "");
  const other = (row) => (row.from === wanted ? row.to : row.from);
  const words = { contains: ["contains", "is contained in"], before: ["comes before", "comes after"], notifies: ["notifies", "is notified by"], other: ["relates to", "relates to"] };
  return [
    h("p", { class: "crumbs" }, link(name, ["node", name]), " / ", link("Resources", ["node", name, "resources"])),
    h("h1", {}, wanted),
    h("p", {}, place(found.file, found.line), " ", why("", "Why does it exist?"), " ",
      link("Graph", ["node", name, "graph"], { center: wanted }), " ", link("Nodes with it", ["nodes"], { resource: wanted })),
    list("Attributes", [
      ["Attribute", ([key]) => h("code", {}, key)],
      ["Value", ([, value]) => h("pre", {}, shown(value))],
      ["Origin", ([key]) => why(key, `Why ${key}?`)],
    ], Object.entries(found.parameters), "No attributes."),
    list("Relations", [
      ["Relation", (row) => words[row.kind][row.from === wanted ? 0 : 1]],
      ["Resource", (row) => link(other(row), ["node", name, "resource"], { resource: other(row) })],
    ], found.relations, "No relations."),
    h("p", { class: "quiet" }, `Tags: ${(found.tags ?? []).join(", ")}`),
  ];
}
