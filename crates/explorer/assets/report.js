// A run: its events, messages and times.

import { get } from "./api.js";
import { address, h, link, place, shown, status, time } from "./dom.js";
import { list, table } from "./table.js";

const KINDS = [["", "All"], ["corrective", "Corrective"], ["intentional", "Intentional"], ["failure", "Failed"], ["noop", "Not applied"], ["skipped", "Skipped"]];

export async function report({ segments, parameters, signal }) {
  const [id] = segments;
  const found = await get(["reports", id], {}, signal);
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
    h("p", { class: "crumbs" }, link(found.node, ["node", found.node]), " / ", link("Runs", ["node", found.node, "reports"])),
    h("h1", {}, "Run ", status(found.status)),
    h("dl", { class: "about" }, about.map(([key, value]) => h("div", {}, h("dt", {}, key), h("dd", {}, value)))),
    h("nav", { class: "tabs", "aria-label": "Kinds of events" }, kinds),
    table({ caption: "Events", path: ["reports", id, "events"], parameters: { kind }, columns: columns(found.node), empty: "No events.", signal }),
    messages(found.logs ?? []),
    list("Time by type", [
      ["Type", (row) => row.name],
      ["Seconds", (row) => row.value.toFixed(3)],
      ["", (row) => h("meter", { min: 0, max: longest, value: Math.min(row.value, longest), "aria-label": `${row.name} in seconds` })],
    ], times, "The report has no times."),
  ];
}

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
