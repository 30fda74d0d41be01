// A run: its events, messages and times.

import { get } from "./api.js";
import { address, h, link, place, shown, status, time } from "./dom.js";
import { list, table } from "./table.js";

const KINDS = [["", "All"], ["corrective", "Corrective"], ["intentional", "Intentional"], ["failure", "Failed"], ["noop", "Not applied"], ["skipped", "Skipped"]];

export async function report({ segments, parameters, signal }) {
  const [id] = segments;
  const [found, path] = await Promise.all([get(["reports", id], {}, signal), get(["reports", id, "path"], {}, signal)]);
  const kind = parameters.get("kind") ?? "";
  const times = (found.metrics ?? []).filter((one) => one.category === "time" && one.value > 0);
  times.sort((a, b) => b.value - a.value);
  const about = [
    ["Node", link(found.node, ["node", found.node])],
    ["Environment", found.environment ?? "none"],
    ["Began", time(found.start_time)],
    ["Took", `${shown(found.seconds)} s`],
    ["Version of the catalog", found.version],
    ["Code", found.code_id ? h("code", {}, found.code_id) : "not recorded"],
  ];
  const kinds = KINDS.map(([key, title]) => h("a", { href: address(["report", id], { kind: key }), "aria-current": key === kind ? "true" : null }, title));
  const longest = times.find((one) => one.name !== "total")?.value ?? 1;
  return [
    h("p", { class: "crumbs" }, link(found.node, ["node", found.node]), " / ", link("Runs", ["node", found.node, "reports"]), " / ",
      link("Compare with another run", ["report", id, "compare"])),
    h("h1", {}, "Run ", status(found.status)),
    h("dl", { class: "about" }, about.map(([key, value]) => h("div", {}, h("dt", {}, key), h("dd", {}, value)))),
    h("nav", { class: "tabs", "aria-label": "Kinds of events" }, kinds),
    table({ caption: "Events", path: ["reports", id, "events"], parameters: { kind }, columns: columns(found.node), empty: "No events.", signal }),
    criticalPath(path, found.node),
    path.resources > 0 ? table({ caption: "Time by resource", path: ["reports", id, "durations"], columns: durations(found.node), signal }) : null,
    messages(found.logs ?? []),
    list("Time by type", [
      ["Type", (row) => row.name],
      ["Seconds", (row) => row.value.toFixed(3)],
      ["", (row) => h("meter", { min: 0, max: longest, value: Math.min(row.value, longest), "aria-label": `${row.name} in seconds` })],
    ], times, "The report has no times."),
  ];
}

/** Why a run has no critical path. */
const UNKNOWN = {
  not_stored: "Unknown: the server no longer stores the catalog of this run.",
  not_visible: "Unknown: the catalog of this run is of an environment that you may not see.",
};

/** The chain of resources that took longest, each a bar of its length. */
function criticalPath(path, node) {
  if (path.resources === 0) return null;
  if (!path.rows) return h("section", { "aria-label": "Critical path" }, h("h2", {}, "Critical path"), h("p", { class: "quiet" }, UNKNOWN[path.catalog]));
  const most = Math.max(...path.rows.map((row) => row.seconds));
  return h("section", { "aria-label": "Critical path" },
    h("h2", {}, "Critical path"),
    h("p", { class: "quiet" }, `${seconds(path.seconds)} of the ${seconds(path.all_seconds)} for all resources: the longest chain of resources that wait for each other. `,
      path.catalog_time ? earlierCatalog(path.catalog_time, node) : ""),
    h("ol", { class: "path" }, path.rows.map((row) => h("li", {},
      link(row.resource, ["node", node, "resource"], { resource: row.resource }), " ", h("span", { class: "quiet" }, seconds(row.seconds)),
      h("meter", { min: 0, max: most, value: row.seconds, "aria-label": `${row.resource} in seconds` })))));
}

/** The catalog of an earlier run, compared with the last one. */
const earlierCatalog = (sent, node) => h("span", {}, "The order is that of an ", link("earlier catalog", ["compare"], { a: node, a_time: sent, b: node }), ", from ", time(sent), ".");

const seconds = (number) => `${number < 1 ? number.toFixed(3) : number.toFixed(1)} s`;

const durations = (node) => [
  ["Resource", (row) => link(row.resource, ["node", node, "resource"], { resource: row.resource })],
  ["Seconds", (row) => row.seconds.toFixed(3)],
];

const columns = (node) => [
  ["Resource", (row) => link(row.resource, ["node", node, "resource"], { resource: row.resource })],
  ["Event", (row) => (row.status === "success" ? status(row.corrective ? "corrective" : "changed") : status(row.status))],
  ["Attribute", (row) => (row.property ? h("code", {}, row.property) : "")],
  ["Found", (row) => h("code", {}, shown(row.old_value))],
  ["Wanted", (row) => h("code", {}, shown(row.new_value))],
  ["Message", (row) => row.message ?? ""],
  ["Declared at", (row) => place(row.file, row.line)],
];

/** The messages of the run. Differences of contents are marked line by line. */
function messages(logs) {
  if (logs.length === 0) return h("section", {}, h("h2", {}, "Messages"), h("p", { class: "quiet" }, "None."));
  return h("section", { "aria-label": "Messages" }, h("h2", {}, "Messages"), h("ol", { class: "log" }, logs.map((log) =>
    h("li", { class: log.level }, h("span", { class: "level" }, log.level), " ", h("span", { class: "quiet" }, log.source ?? ""), text(log.message)))));
}

function text(message) {
  if (!/^(---|\+\+\+|@@)/m.test(message)) return h("p", {}, message);
  const kinds = { "+": "added", "-": "removed", "@": "quiet" };
  const names = { "+": "ins", "-": "del" };
  return h("pre", { class: "diff", tabindex: "0" }, message.split("\n").map((line) => h(names[line[0]] ?? "span", { class: kinds[line[0]] ?? null }, `${line}\n`)));
}
