// Two runs side by side: the resources whose events differ.

import { get } from "./api.js";
import { address, h, link, shown, status, time } from "./dom.js";
import { table } from "./table.js";

/** The page of a run and another one. Without the other one, it is chosen here. */
export async function compareRuns({ segments, parameters, signal }) {
  const [id] = segments;
  const [other, equal] = [parameters.get("other"), parameters.get("equal")];
  const first = await get(["reports", id], {}, signal);
  const crumbs = h("p", { class: "crumbs" }, link(first.node, ["node", first.node]), " / ", link("Run", ["report", id]));
  if (!other) return [crumbs, h("h1", {}, "Compare a run"), choice(id, first, parameters, signal)];
  const second = await get(["reports", other], {}, signal);
  const about = [["First run", id, first], ["Second run", other, second]].map(([label, report, run]) =>
    h("div", {}, h("dt", {}, label), h("dd", {}, h("a", { href: address(["report", report]) }, time(run.end_time)), " of ",
      link(run.node, ["node", run.node]), " ", status(run.status), ` ${shown(run.seconds)} s`)));
  return [
    crumbs,
    h("h1", {}, "Two runs"),
    h("dl", { class: "about" }, about),
    h("nav", { class: "tabs", "aria-label": "Events" },
      h("a", { href: address(["report", id, "compare"], { other }), "aria-current": equal ? null : "page" }, "What differs"),
      h("a", { href: address(["report", id, "compare"], { other, equal: "yes" }), "aria-current": equal ? "page" : null }, "All events"),
      link("The other way round", ["report", other, "compare"], { other: id, equal }),
      link("Another run", ["report", id, "compare"])),
    table({ caption: "Events", path: ["reports", id, "compare"], parameters: { other, equal }, columns: columns(first.node), empty: "Both runs had the same events.", signal }),
  ];
}

/** The runs of a node, of which one is chosen. */
function choice(id, first, parameters, signal) {
  const node = parameters.get("node") || first.node;
  const input = h("input", { name: "node", value: node, spellcheck: "false", autocomplete: "off" });
  const form = h("form", {
    class: "filters", "aria-label": "The node of the other run",
    onsubmit: (event) => {
      event.preventDefault();
      location.hash = address(["report", id, "compare"], { node: input.value });
    },
  }, h("label", {}, "Runs of the node", input), h("button", {}, "Show"));
  const columns = [
    ["End", (row) => (row.report === id ? ["this run, ", time(row.end_time)] : link(time(row.end_time), ["report", id, "compare"], { other: row.report }))],
    ["Status", (row) => status(row.status)],
    ["Seconds", (row) => shown(row.seconds)],
    ["Events", (row) => String(row.events)],
    ["Version", (row) => row.version],
  ];
  return [
    h("p", { class: "quiet" }, `Choose the run to compare with that of ${first.node} of ${first.end_time}.`),
    form,
    table({ caption: `Runs of ${node}`, path: ["nodes", node, "reports"], columns, empty: "No reports.", signal }),
  ];
}

const columns = (node) => [
  ["Resource", (row) => link(row.resource, ["node", node, "resource"], { resource: row.resource })],
  ["Attribute", (row) => (row.property ? h("code", {}, row.property) : "")],
  ["First run", (row) => side(row, "first")],
  ["Second run", (row) => side(row, "second")],
];

/** The event of one run. */
function side(row, name) {
  const of = (key) => row[`${name}_${key}`];
  if (!of("status")) return h("span", { class: "quiet" }, "no event");
  const values = [of("old_value"), of("new_value")];
  return [
    status(of("status")), " ",
    values.every((value) => value === null) ? null : h("code", {}, `${shown(values[0]) || "(none)"} → ${shown(values[1]) || "(none)"}`),
    of("message") ? h("div", {}, of("message")) : null,
    h("div", { class: "quiet" }, time(of("time")), of("seconds") === null ? null : `, took ${of("seconds").toFixed(3)} s`),
  ];
}
