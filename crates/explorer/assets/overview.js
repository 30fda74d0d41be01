// The state of all nodes at a glance.

import { get } from "./api.js";
import { address, h, link, status, svg, time } from "./dom.js";
import { list } from "./table.js";

const ORDER = ["failed", "corrective", "changed", "noop", "unchanged", "none"];
const [WIDTH, HEIGHT] = [720, 140];

export async function overview({ signal }) {
  const found = await get(["overview"], {}, signal);
  const numbers = Object.fromEntries(found.statuses.map((one) => [one.status, one.nodes]));
  const total = found.statuses.reduce((sum, one) => sum + one.nodes, 0);
  const cards = ORDER.filter((word) => numbers[word]).map((word) =>
    h("li", {}, h("a", { href: address(["nodes"], { status: word }) }, h("strong", {}, String(numbers[word])), status(word))));
  cards.push(h("li", {}, h("a", { href: address(["nodes"], { sort: "oldest" }) },
    h("strong", {}, String(found.late.nodes)), h("span", { class: "status" }, ` older than ${found.late.hours} h`))));
  return [
    h("h1", {}, `${total} nodes`),
    h("ul", { class: "cards" }, cards),
    chart(found),
    list(`Slowest runs ${period(found, found.reports_since)}`, [
      ["Node", (row) => link(row.node, ["node", row.node])],
      ["Seconds", (row) => link(String(row.seconds), ["report", row.report])],
      ["Status", (row) => status(row.status)],
      ["End", (row) => time(row.end_time)],
    ], found.slowest, "No runs."),
    list(`Resources that differed on most nodes ${period(found, found.events_since)}`, [
      ["Resource", (row) => link(row.resource, ["nodes"], { resource: row.resource })],
      ["Nodes", (row) => String(row.nodes)],
      ["Last", (row) => time(row.last)],
    ], found.drift, "No machine differed from its catalog."),
  ];
}

/** The period of a list. Lists of large fleets consider only the newest rows. */
function period(found, since) {
  if (!since) return `in the last ${found.period_hours} hours`;
  return `since ${since.slice(0, 16).replace("T", " ")} UTC (the newest ${found.newest})`;
}

/** The runs by hour and status, as bars and as a table. */
function chart(found) {
  const hours = new Map();
  for (const { time: hour, status: word, runs } of found.hours) {
    if (!hours.has(hour)) hours.set(hour, {});
    hours.get(hour)[word] = runs;
  }
  const rows = [...hours].sort(([a], [b]) => (a < b ? -1 : 1));
  if (rows.length === 0) return null;
  const sum = (numbers) => Object.values(numbers).reduce((a, b) => a + b, 0);
  const most = Math.max(...rows.map(([, numbers]) => sum(numbers)));
  const first = new Date(rows.at(-1)[0]).getTime() - (found.period_hours - 1) * 3600000;
  const width = WIDTH / found.period_hours;
  const bars = rows.flatMap(([hour, numbers]) => {
    let top = HEIGHT;
    const left = ((new Date(hour).getTime() - first) / 3600000) * width;
    return ORDER.toReversed().filter((word) => numbers[word]).map((word) => {
      const height = (numbers[word] / most) * HEIGHT;
      top -= height;
      return svg("rect", { class: `bar ${word}`, x: left + 1, y: top, width: width - 2, height });
    });
  });
  const words = ORDER.filter((word) => rows.some(([, numbers]) => numbers[word]));
  return h("section", { "aria-label": "Runs by hour" },
    h("h2", {}, `Runs ${period(found, found.reports_since)}`),
    svg("svg", { class: "chart", viewBox: `0 0 ${WIDTH} ${HEIGHT}`, "aria-hidden": "true", preserveAspectRatio: "none" }, bars),
    h("p", { class: "legend" }, words.map(status)),
    h("details", {}, h("summary", {}, "As a table"),
      list("Runs by hour", [["Hour", ([hour]) => hour], ...words.map((word) => [word, ([, numbers]) => String(numbers[word] ?? 0)])], rows)));
}
