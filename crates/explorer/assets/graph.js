// The neighbourhood of a resource: a picture, and the same as a table.

import { get } from "./api.js";
import { address, h, link, svg } from "./dom.js";
import { list } from "./table.js";

const [WIDTH, HEIGHT, GAP_X, GAP_Y] = [210, 30, 60, 12];
const MAX_LABEL = 28;

export async function graph(name, parameters, signal) {
  const chosen = Object.fromEntries(parameters);
  const found = await get(["nodes", name, "graph"], chosen, signal);
  if (!found.center) return h("p", { class: "quiet" }, "The node has no catalog.");
  const to = (change) => address(["node", name, "graph"], { ...chosen, ...change });
  const filter = h("input", { name: "filter", type: "search", value: chosen.filter ?? "", "aria-label": "Only resources that contain", placeholder: "Only resources that contain", autocomplete: "off" });
  const depth = Number(chosen.depth ?? 1);
  const controls = h("form", { class: "filters", onsubmit: (event) => { event.preventDefault(); location.hash = to({ filter: filter.value }); } },
    filter, h("button", {}, "Filter"),
    h("a", { href: to({ depth: depth + 1 }) }, "Farther"),
    depth > 1 ? h("a", { href: to({ depth: depth - 1 }) }, "Nearer") : null,
    h("a", { href: to({ containment: chosen.containment === "no" ? "" : "no" }) }, chosen.containment === "no" ? "With containment" : "Without containment"));
  const rows = found.links.map((one) => [one.from, one.kind, one.to]);
  const at = (resource) => link(resource, ["node", name, "graph"], { ...chosen, center: resource });
  return [
    h("h2", {}, "Graph around ", link(found.center, ["node", name, "resource"], { resource: found.center, revision: chosen.revision })),
    h("p", { class: "quiet", role: "status" }, `${found.items.length} of ${found.total} resources${found.cut ? "; more are near than are shown" : ""}`),
    found.cycles.map((cycle) => h("p", { class: "error", role: "alert" }, `Cycle: ${cycle.join(", ")}`)),
    controls,
    h("div", { class: "scroll picture", tabindex: "0", role: "group", "aria-label": "Picture of the graph, scrolls" }, picture(found, (resource) => to({ center: resource }))),
    list("Relations in the picture", [["From", ([from]) => at(from)], ["Relation", ([, kind]) => kind], ["To", ([, , target]) => at(target)]], rows, "None."),
  ];
}

/** Columns by order: a resource is right of those that contain it or come before it. */
function columns(found) {
  const rank = new Map(found.items.map((item) => [item.resource, 0]));
  // A path has at most as many links as there are resources; cycles end there, too.
  for (let round = 0; round < Math.min(found.items.length, 40); round += 1) {
    let isChanged = false;
    for (const { from, to } of found.links) {
      if (rank.get(to) < rank.get(from) + 1 && from !== to && rank.get(from) < 40) {
        rank.set(to, rank.get(from) + 1);
        isChanged = true;
      }
    }
    if (!isChanged) break;
  }
  const columns = [];
  for (const item of found.items) (columns[rank.get(item.resource)] ??= []).push(item);
  return columns.filter(Boolean);
}

function picture(found, to) {
  const places = new Map();
  const all = columns(found);
  all.forEach((column, x) => column.forEach((item, y) => places.set(item.resource, [x * (WIDTH + GAP_X) + 4, y * (HEIGHT + GAP_Y) + 4])));
  const width = all.length * (WIDTH + GAP_X);
  const height = Math.max(...all.map((column) => column.length)) * (HEIGHT + GAP_Y) + 8;
  const lines = found.links.map(({ from, to: target, kind }) => {
    const [[x, y], [u, v]] = [places.get(from), places.get(target)];
    const [start, end] = [x + WIDTH, u];
    const middle = (start + end) / 2;
    return svg("path", { class: `link ${kind}`, d: `M${start} ${y + HEIGHT / 2} C${middle} ${y + HEIGHT / 2} ${middle} ${v + HEIGHT / 2} ${end} ${v + HEIGHT / 2}` }, svg("title", {}, `${from} ${kind} ${target}`));
  });
  const boxes = found.items.map((item) => {
    const [x, y] = places.get(item.resource);
    const label = item.resource.length > MAX_LABEL ? `${item.resource.slice(0, MAX_LABEL - 1)}…` : item.resource;
    const more = item.hidden > 0 ? ` +${item.hidden}` : "";
    return svg("a", { href: to(item.resource), class: item.resource === found.center ? "box center" : "box", "aria-label": `${item.resource}, ${item.hidden} more neighbours` },
      svg("title", {}, item.resource), svg("rect", { x, y, width: WIDTH, height: HEIGHT, rx: 4 }),
      svg("text", { x: x + 8, y: y + 20 }, label + more));
  });
  return svg("svg", { class: "graph", width, height, viewBox: `0 0 ${width} ${height}`, role: "group", "aria-label": "Graph" }, lines, boxes);
}
