// Two nodes, or one node at two times or revisions: the differing resources, attributes and facts.

import { get } from "./api.js";
import { address, h, link, shown } from "./dom.js";
import { groups } from "./diff.js";
import { session } from "./session.js";
import { table } from "./table.js";

const SIDES = [["a", "First node"], ["b", "Second node"]];

export async function compare({ parameters, signal }) {
  const chosen = Object.fromEntries(parameters);
  const { mode } = await session();
  const isLocal = mode === "repository";
  const [names, revisions] = await Promise.all([get(["nodes"], { limit: 500 }, signal), get(["revisions"], { limit: 500 }, signal)]);
  const catalogs = isLocal ? {} : await storedCatalogs(chosen, signal);
  const form = choice({ nodes: names.rows, revisions: revisions.rows, catalogs }, chosen, isLocal);
  if (!chosen.a || !chosen.b) {
    const text = isLocal ? "Choose two nodes, or one node twice with two revisions." : "Choose two nodes, or one node twice with two times or revisions.";
    return [h("h1", {}, "Compare"), h("p", { class: "quiet" }, text), form];
  }
  const { offset, ...asked } = chosen;
  const found = await get(["compare"], { ...asked, offset }, signal);
  const linksTo = isLocal ? (_, side, parameters) => address(["node", asked[side === "before" ? "a" : "b"], "why"], { ...parameters, revision: asked[side === "before" ? "a_revision" : "b_revision"] }) : null;
  const isAtTime = asked.a_time || asked.b_time;
  return [
    h("h1", {}, "Compare ", link(asked.a, ["node", asked.a]), " with ", link(asked.b, ["node", asked.b])),
    form,
    h("h2", {}, "Resources"),
    groups(found, { asked, path: ["compare"], page: "compare", linksTo }),
    isAtTime ? h("p", { class: "quiet" }, "Facts are the last ones of each node; only catalogs have a history.") : null,
    table({ caption: "Facts", path: ["compare", "facts"], parameters: asked, columns: FACTS, empty: "No facts differ.", signal }),
  ];
}

const FACTS = [
  ["Fact", (row) => h("code", {}, row.fact)],
  ["First", (row) => h("code", {}, row.before === null ? "(none)" : shown(row.before))],
  ["Second", (row) => h("code", {}, row.after === null ? "(none)" : shown(row.after))],
];

/** The stored catalogs of the chosen nodes, by side. A node that does not exist has none. */
async function storedCatalogs(chosen, signal) {
  const found = SIDES.map(async ([side]) => {
    if (!chosen[side]) return [side, []];
    const rows = get(["nodes", chosen[side], "catalogs"], { limit: 500 }, signal).then((all) => all.rows);
    return [side, await rows.catch((error) => { if (error.name === "AbortError") throw error; return []; })];
  });
  return Object.fromEntries(await Promise.all(found));
}

function choice(known, chosen, isLocal) {
  const revisions = known.revisions.map((row) => [row.name, row.subject ?? ""]);
  const options = (id, rows) => h("datalist", { id }, rows.map(([value, text]) => h("option", { value }, text)));
  const field = (name, label, list, hint, size) => h("label", {}, label, h("input", { name, list, size, value: chosen[name] ?? "", placeholder: hint, spellcheck: "false", autocomplete: "off" }));
  const current = isLocal ? "the work tree" : "the stored catalog";
  const fields = SIDES.map(([side, label], at) => h("fieldset", {}, h("legend", {}, label),
    field(side, "Name", "nodes", (known.nodes[at] ?? known.nodes[0])?.name ?? ""),
    isLocal ? null : field(`${side}_time`, "at the time", `${side}-times`, "the last catalog", 24),
    field(`${side}_revision`, "at the revision", "revisions", current),
    isLocal ? null : options(`${side}-times`, times(known.catalogs[side] ?? []))));
  const form = h("form", {
    class: "filters", "aria-label": "Both nodes",
    onsubmit: (event) => {
      event.preventDefault();
      location.hash = address(["compare"], Object.fromEntries(new FormData(form)));
    },
  }, fields, options("nodes", known.nodes.map((row) => [row.name, ""])), options("revisions", revisions), h("button", {}, "Compare"));
  return form;
}

/** The times of earlier catalogs, for a field. */
function times(catalogs) {
  return catalogs.filter((row) => row.time).map((row) => [row.time, `until ${row.replaced}, ${row.resources} resources`]);
}
