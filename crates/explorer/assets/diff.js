// The changes between two states of the code on all nodes, in groups of nodes with the same changes.

import { get, url } from "./api.js";
import { address, h, link } from "./dom.js";
import { session } from "./session.js";

const PAGE = 20;

/** The filters: parameter, label, example. */
const FILTERS = [
  ["node", "Nodes", "web*, db01.example.org"],
  ["fact", "With the fact", "os.family=Debian"],
  ["class", "With the class", "profile::web"],
  ["kind", "Kind or resource", "file, Service[nginx]"],
  ["attribute", "Attribute", "content"],
];

export async function diff({ parameters, signal }) {
  const chosen = Object.fromEntries(parameters);
  const [known, { mode }] = await Promise.all([get(["revisions"], { limit: 500 }, signal), session()]);
  const isLocal = mode === "repository";
  const form = choice(known.rows, chosen, isLocal);
  const isComplete = isLocal ? chosen.before || chosen.after : chosen.before && chosen.after;
  if (!isComplete) {
    return [h("h1", {}, "Changes"), h("p", { class: "quiet" }, introduction(known.rows, isLocal)), form, revisions(known.rows, isLocal)];
  }
  const { offset: from, ...asked } = chosen;
  const offset = Number(from ?? 0);
  const found = await get(["diff"], { ...asked, offset, limit: PAGE }, signal);
  return [h("h1", {}, "Changes"), form, groups(found, { asked, path: ["diff"], page: "diff", linksTo: linksOf(asked, isLocal), nodes: true })];
}

/** Links to the origin of a change on one side; nothing where that cannot be shown. */
function linksOf(asked, isLocal) {
  return (node, side, parameters) => address(["node", node, "why"], { ...parameters, ...(isLocal ? { revision: asked[side] } : { code: asked[side] }) });
}

function introduction(rows, isLocal) {
  if (!isLocal) return "Choose two environments, or two deployed revisions of one, to see what the nodes of the first get from the second.";
  return rows.length > 0 ? "Choose two commits, branches or tags. An empty field is the work tree." : "The sources are in no repository of git, so there is nothing to compare.";
}

/** The form with both sides. */
function choice(rows, chosen, isLocal) {
  const names = h("datalist", { id: "revisions" }, rows.map((row) => h("option", { value: row.name }, row.subject ?? "")));
  const hint = isLocal ? "the work tree" : "production";
  const field = (name, label) => h("label", {}, label, h("input", { name, list: "revisions", value: chosen[name] ?? "", placeholder: hint, spellcheck: "false", autocomplete: "off" }));
  const form = h("form", {
    class: "filters", "aria-label": "The sides",
    onsubmit: (event) => {
      event.preventDefault();
      location.hash = address(["diff"], Object.fromEntries(new FormData(form)));
    },
  }, field("before", "Before"), field("after", "After"), names, filters(chosen), h("button", {}, "Compare"));
  return form;
}

/** The fields of the filters. A list has commas, and `*` stands for any characters. */
function filters(chosen) {
  const field = ([name, label, example]) => h("label", {}, label, h("input", { name, value: chosen[name] ?? "", placeholder: example, spellcheck: "false", autocomplete: "off" }));
  const isOpen = FILTERS.some(([name]) => chosen[name]);
  return h("details", { class: "more", open: isOpen }, h("summary", {}, "Filters"), h("div", { class: "filters" }, FILTERS.map(field)));
}

/** The revisions, each with a link to its changes. */
function revisions(rows, isLocal) {
  if (rows.length === 0) return null;
  const to = (row) => (isLocal ? { before: `${row.name}~1`, after: row.name } : { before: row.name, after: row.current ?? "" });
  return h("section", { "aria-label": "Revisions" }, h("h2", {}, isLocal ? "The last commits" : "Environments and revisions"),
    h("ul", { class: "revisions" }, rows.map((row) => h("li", {},
      link(row.name, ["diff"], to(row)), " ", row.subject ?? "", " ", h("span", { class: "quiet" }, [row.author, row.time].filter(Boolean).join(", "))))));
}

/** The groups of a comparison. `view` has the document's address, and the page that pages lead to. */
export function groups(found, view) {
  const { asked, path, page } = view;
  const last = found.offset + found.rows.length;
  const turn = (offset) => { location.hash = address([page], { ...asked, offset: offset || "" }); };
  const pages = [
    h("button", { type: "button", class: "previous", disabled: found.offset === 0, onclick: () => turn(Math.max(0, found.offset - found.limit)) }, "Previous"),
    h("span", { role: "status" }, found.total === 0 ? "no changes" : `${found.offset + 1}–${last} of ${found.total} groups`),
    h("button", { type: "button", class: "next", disabled: last >= found.total, onclick: () => turn(last) }, "Next"),
  ];
  const paging = h("p", { class: "paging" }, found.single ? null : pages,
    h("a", { href: url(path, { ...asked, all: 1, format: "csv" }), download: "changes.csv" }, "CSV"),
    h("a", { href: url(path, { ...asked, all: 1 }), download: "changes.json" }, "JSON"));
  return [
    h("p", { class: "summary" }, found.summary),
    found.notes.map((note) => h("p", { class: "quiet" }, note)),
    found.rows.map((group) => one(group, found.single, view)),
    paging,
  ];
}

/** A group: its nodes, then its changes. The changes of a resource have one heading. */
function one(group, isSingle, view) {
  const parts = [];
  let before = null;
  for (const change of group.changes) {
    if (change.heading.text !== before) parts.push(h("h3", { class: change.heading.tone }, change.heading.text));
    before = change.heading.text;
    if (change.lines.length > 0) parts.push(h("pre", { class: "diff", tabindex: "0" }, change.lines.map(line)));
    parts.push(causes(change, group, view));
  }
  if (group.more > 0) parts.push(h("p", { class: "quiet" }, `${group.more} more changes; CSV and JSON have all.`));
  const count = `${group.count} ${group.count === 1 ? "node" : "nodes"}`;
  return h("section", { class: "group", "aria-label": isSingle ? "Changes" : `Group of ${count}` },
    isSingle ? null : h("h2", {}, `${count}: ${group.nodes.slice(0, 3).join(", ")}${group.count > 3 ? ", …" : ""}`),
    isSingle || group.count === 1 ? null : nodes(group, view), parts);
}

function nodes(group, { asked }) {
  const rest = group.count - group.nodes.length;
  return h("details", {}, h("summary", {}, "All nodes of the group"),
    h("ul", { class: "names" }, group.nodes.map((name) => h("li", {}, link(name, ["node", name])))),
    rest > 0 ? h("p", { class: "quiet" }, `${rest} more; the CSV file has all.`) : null,
    h("p", {}, h("a", { href: url(["diff", "nodes"], { ...asked, group: group.number, all: 1, format: "csv" }), download: "nodes.csv" }, "CSV"), " ",
      h("a", { href: url(["diff", "nodes"], { ...asked, group: group.number, all: 1 }), download: "nodes.json" }, "JSON")));
}

function line({ tone, text }) {
  const names = { added: "ins", removed: "del" };
  return h(names[tone] ?? "span", { class: tone }, `${text}\n`);
}

/** The lines that cause a change, as links to the origin on their side. */
function causes(change, group, { linksTo }) {
  if (change.causes.length === 0) return null;
  const [node] = group.nodes;
  const to = (cause) => {
    const text = `${cause.file}${cause.line > 0 ? `:${cause.line}` : ""}${cause.side === "before" ? " (before)" : ""}`;
    const hasOrigin = linksTo && change.resource && change.kind !== "order" && change.kind !== "file";
    if (!hasOrigin || (cause.side === "before" ? change.kind === "added" : change.kind === "removed")) return h("code", {}, text);
    const parameters = { resource: change.resource, attribute: change.attribute ?? "", place: `${cause.file}:${cause.line}` };
    return h("a", { href: linksTo(node, cause.side, parameters) }, h("code", {}, text));
  };
  return h("p", { class: "quiet" }, "because of ", change.causes.map((cause, at) => [at > 0 ? ", " : "", to(cause)]));
}
