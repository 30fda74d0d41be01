// The table of nodes, with filters and facets.

import { get } from "./api.js";
import { address, h, link, status, time } from "./dom.js";
import { session } from "./session.js";
import { table } from "./table.js";

const ORDER = ["failed", "corrective", "changed", "noop", "unchanged", "none"];
const FILTERS = [
  ["q", "Name contains", "web"],
  ["fact", "Fact", "os.family=Debian"],
  ["resource", "Has the resource", "File[/etc/motd]"],
];

export async function nodes({ parameters, signal }) {
  const chosen = Object.fromEntries(parameters);
  const [facets, { run_environments: runs }] = await Promise.all([get(["facets"], chosen, signal), session()]);
  const fields = FILTERS.map(([name, label, example]) =>
    h("label", {}, label, h("input", { name, value: chosen[name] ?? "", placeholder: example, spellcheck: "false", autocomplete: "off" })));
  const form = h("form", {
    class: "filters", "aria-label": "Filters",
    onsubmit: (event) => {
      event.preventDefault();
      const values = Object.fromEntries(new FormData(form));
      location.hash = address(["nodes"], { ...chosen, ...values });
    },
  }, fields, h("button", {}, "Filter"), link("Clear", ["nodes"]));
  return [
    h("h1", {}, "Nodes"),
    form,
    facet("Status", "status", ORDER, facets, chosen),
    facet("Environment", "environment", null, facets, chosen),
    runs === null || runs.length > 0 ? h("p", {}, link("Run these nodes…", ["runs", "new"], chosen)) : null,
    table({ caption: "Nodes", path: ["nodes"], parameters: chosen, columns: COLUMNS, empty: "No node matches.", signal }),
  ];
}

const COLUMNS = [
  ["Name", (row) => link(row.name, ["node", row.name])],
  ["Status", (row) => (row.report ? h("a", { href: address(["report", row.report]) }, status(row.status)) : status(row.status))],
  ["Environment", (row) => row.environment ?? ""],
  ["Last run", (row) => time(row.report_time)],
  ["Facts", (row) => time(row.facts_time)],
  ["Catalog", (row) => time(row.catalog_time)],
];

/** The values of a facet as links, with the number of nodes. */
function facet(title, name, order, rows, chosen) {
  const numbers = new Map();
  const other = name === "status" ? "environment" : "status";
  for (const row of rows) {
    if (chosen[other] && row[other] !== chosen[other]) continue;
    const value = row[name] ?? "";
    numbers.set(value, (numbers.get(value) ?? 0) + row.nodes);
  }
  const values = [...numbers.keys()].sort((a, b) => (order ? order.indexOf(a) - order.indexOf(b) : a < b ? -1 : 1));
  const item = (value) => {
    const isChosen = chosen[name] === value;
    const target = address(["nodes"], { ...chosen, [name]: isChosen ? "" : value });
    return h("li", {}, h("a", { href: target, "aria-current": isChosen ? "true" : null }, order ? status(value) : value, ` ${numbers.get(value)}`));
  };
  return h("nav", { class: "facet", "aria-label": title }, h("span", {}, title), h("ul", {}, values.filter(Boolean).map(item)));
}
