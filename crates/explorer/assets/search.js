// The results of the search.

import { get } from "./api.js";
import { h, link, status, time } from "./dom.js";

const RESULTS = {
  node: (one) => [link(one.name, ["node", one.name]), " ", one.status ? status(one.status) : null],
  resource: (one) => (one.node ? [link(one.name, ["node", one.node, "resource"], { resource: one.name }), ` of ${one.node}`] : link(one.name, ["nodes"], { resource: one.name })),
  fact: (one) => [link(one.node, ["node", one.node, "facts"], { q: one.name }), ` ${one.name} = ${one.value}`],
  report: (one) => [link(one.name, ["report", one.name]), ` of ${one.node}, `, time(one.time)],
};

export async function search({ parameters, signal }) {
  const q = parameters.get("q") ?? "";
  const { results, incomplete } = await get(["search"], { q }, signal);
  const words = { node: "Nodes", resource: "Resources", fact: "Facts", report: "Reports" };
  const groups = Object.keys(words).map((kind) => [kind, results.filter((one) => one.kind === kind)]).filter(([, list]) => list.length > 0);
  return [
    h("h1", {}, `Results for “${q}”`),
    groups.length === 0 ? h("p", {}, "Nothing has this text. Facts are found by their whole value, reports by their id.") : null,
    incomplete ? h("p", { class: "quiet" }, "Not all nodes were searched for resources.") : null,
    groups.map(([kind, list]) => h("section", { "aria-label": words[kind] }, h("h2", {}, words[kind]), h("ul", {}, list.map((one) => h("li", {}, RESULTS[kind](one)))))),
  ];
}
