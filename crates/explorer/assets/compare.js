// Two nodes, or one node at two revisions: the differing resources, attributes and facts.

import { get } from "./api.js";
import { address, h, link, shown } from "./dom.js";
import { groups } from "./diff.js";
import { session } from "./session.js";
import { table } from "./table.js";

export async function compare({ parameters, signal }) {
  const chosen = Object.fromEntries(parameters);
  const { mode } = await session();
  const isLocal = mode === "repository";
  const [names, revisions] = await Promise.all([get(["nodes"], { limit: 500 }, signal), get(["revisions"], { limit: 500 }, signal)]);
  const form = choice(names.rows, revisions.rows, chosen, isLocal);
  if (!chosen.a || !chosen.b) {
    const text = "Choose two nodes, or one node twice with two revisions.";
    return [h("h1", {}, "Compare"), h("p", { class: "quiet" }, text), form];
  }
  const { offset, ...asked } = chosen;
  const found = await get(["compare"], { ...asked, offset }, signal);
  const linksTo = isLocal ? (_, side, parameters) => address(["node", asked[side === "before" ? "a" : "b"], "why"], { ...parameters, revision: asked[side === "before" ? "a_revision" : "b_revision"] }) : null;
  return [
    h("h1", {}, "Compare ", link(asked.a, ["node", asked.a]), " with ", link(asked.b, ["node", asked.b])),
    form,
    h("h2", {}, "Resources"),
    groups(found, { asked, path: ["compare"], page: "compare", linksTo }),
    table({ caption: "Facts", path: ["compare", "facts"], parameters: asked, columns: FACTS, empty: "No facts differ.", signal }),
  ];
}

const FACTS = [
  ["Fact", (row) => h("code", {}, row.fact)],
  ["First", (row) => h("code", {}, row.before === null ? "(none)" : shown(row.before))],
  ["Second", (row) => h("code", {}, row.after === null ? "(none)" : shown(row.after))],
];

function choice(nodes, revisions, chosen, isLocal) {
  const options = (id, rows) => h("datalist", { id }, rows.map((row) => h("option", { value: row.name }, row.subject ?? "")));
  const field = (name, label, list, hint) => h("label", {}, label, h("input", { name, list, value: chosen[name] ?? "", placeholder: hint, spellcheck: "false", autocomplete: "off" }));
  const current = isLocal ? "the work tree" : "the stored catalog";
  const form = h("form", {
    class: "filters", "aria-label": "Both nodes",
    onsubmit: (event) => {
      event.preventDefault();
      location.hash = address(["compare"], Object.fromEntries(new FormData(form)));
    },
  },
  field("a", "First node", "nodes", nodes[0]?.name ?? ""), field("a_revision", "at the revision", "revisions", current),
  field("b", "Second node", "nodes", nodes[1]?.name ?? nodes[0]?.name ?? ""), field("b_revision", "at the revision", "revisions", current),
  options("nodes", nodes), options("revisions", revisions), h("button", {}, "Compare"));
  return form;
}
