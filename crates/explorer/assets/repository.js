// The first page of a repository without a server.

import { get } from "./api.js";
import { h, link } from "./dom.js";
import { session } from "./session.js";
import { table } from "./table.js";

export async function repository({ signal }) {
  const about = await session();
  const facts = [
    ["Path", h("code", {}, about.path)],
    ["Language", about.language],
    ["Nodes", String(about.nodes)],
  ];
  const isOne = about.nodes === 1;
  const rows = about.has_revisions ? (await get(["revisions"], { limit: 10 }, signal)).rows : [];
  return [
    h("h1", {}, "Repository"),
    h("dl", { class: "about" }, facts.map(([key, value]) => h("div", {}, h("dt", {}, key), h("dd", {}, value)))),
    isOne ? h("p", {}, link("Resources", ["node", about.first_node, "resources"]), " ", link("Graph", ["node", about.first_node, "graph"])) : null,
    rows.length > 0 ? h("section", { "aria-label": "The last commits" }, h("h2", {}, "The last commits"),
      h("p", {}, link("Changes that are not committed", ["diff"], { before: "HEAD" })),
      h("ul", { class: "revisions" }, rows.map((row) => h("li", {},
        link(row.name, ["diff"], { before: `${row.name}~1`, after: row.name }), " ", row.subject, " ", h("span", { class: "quiet" }, `${row.author}, ${row.time}`))))) : null,
    isOne ? null : nodeTable("", signal),
  ];
}

const COLUMNS = [
  ["Name", (row) => link(row.name, ["node", row.name, "resources"])],
];

const nodeTable = (q, signal) => table({ caption: "Nodes", path: ["nodes"], parameters: { q }, columns: COLUMNS, empty: "No node matches.", signal });

/** The nodes of a repository, with a filter. */
export function repositoryNodes({ parameters, signal }) {
  const q = parameters.get("q") ?? "";
  const input = h("input", { type: "search", value: q, "aria-label": "Name contains", placeholder: "Name contains", autocomplete: "off" });
  return [
    h("h1", {}, "Nodes"),
    h("form", { class: "filters", onsubmit: (event) => { event.preventDefault(); location.hash = `#/nodes?${new URLSearchParams({ q: input.value })}`; } }, input, h("button", {}, "Filter")),
    nodeTable(q, signal),
  ];
}
