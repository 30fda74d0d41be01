// The origin of a resource or an attribute, with the source beside it.

import { get } from "./api.js";
import { h, link, place, shown } from "./dom.js";

export async function why({ segments, parameters, signal }) {
  const [name] = segments;
  const [resource, attribute] = [parameters.get("resource"), parameters.get("attribute")];
  const [revision, code] = [parameters.get("revision"), parameters.get("code")];
  const found = await get(["nodes", name, "why"], { resource, attribute, revision, code }, signal);
  const wanted = parameters.get("place");
  // The page is shown after this.
  if (wanted) setTimeout(() => showPlace(found, wanted));
  const sources = h("section", { class: "sources", "aria-label": "Sources" }, found.sources.map(source(marks(found))));
  const parts = (found.parts ?? []).map((part) => h("section", {}, h("h2", {}, h("code", {}, part.subject)), value(part), causes(part.causes)));
  return [
    h("p", { class: "crumbs" }, link(name, ["node", name], { revision }), " / ", link(resource, ["node", name, "resource"], { resource, revision })),
    h("h1", {}, `Why ${found.subject}?`),
    found.warnings.length > 0 ? h("ul", { class: "error" }, found.warnings.map((text) => h("li", {}, text))) : null,
    h("div", { class: "beside" }, h("section", { "aria-label": "Origin" }, value(found), causes(found.causes), parts), sources),
  ];
}

function value(found) {
  return "value" in found ? h("p", {}, "Value: ", h("code", {}, shown(found.value))) : null;
}

/** The causes, the nearest first. Values that lost have a word before them, not only a colour. */
function causes(list = []) {
  if (list.length === 0) return null;
  return h("ol", { class: "causes" }, list.map((cause) => {
    const isLost = cause.step === "lost";
    const target = cause.file && cause.line ? () => show(cause.file, cause.line) : null;
    return h("li", { class: isLost ? "lost" : null },
      h("strong", {}, isLost ? "lost" : cause.step.replaceAll("-", " ")), " ",
      cause.name ? h("code", {}, cause.name) : null, cause.key ? [" key ", h("code", {}, cause.key)] : null,
      "value" in cause ? [" ", h("code", {}, shown(cause.value))] : null, " ",
      target ? h("button", { type: "button", class: "place", onclick: target }, `${cause.file}:${cause.line}`) : place(cause.file, cause.line),
      causes(cause.from));
  }));
}

const id = (file, line) => `line-${line}-${file}`;

/** Moves to the line of a place such as `site.pp:3`, whose file may be relative. */
function showPlace(found, place) {
  const at = place.lastIndexOf(":");
  const [file, line] = [place.slice(0, at), place.slice(at + 1)];
  const source = found.sources.find((one) => one.file === file || one.file.endsWith(`/${file}`));
  if (source) show(source.file, line);
}

/** Moves to a line of a source. */
function show(file, line) {
  const element = document.getElementById(id(file, line));
  if (!element) return;
  element.scrollIntoView({ block: "center" });
  element.focus();
}

/** The lines that causes name, as `FILE:LINE`: true if a value that lost is there. */
function marks(found) {
  const marked = new Map();
  const visit = (causes = [], isLost) => {
    for (const cause of causes) {
      const key = `${cause.file}:${cause.line}`;
      const lost = isLost || cause.step === "lost";
      if (cause.file && !(marked.get(key) === false)) marked.set(key, lost);
      visit(cause.from, lost);
    }
  };
  visit(found.causes, false);
  for (const part of found.parts ?? []) visit(part.causes, false);
  return marked;
}

const source = (marked) => ({ file, lines }) => {
  let before = 0;
  const rows = lines.map(({ line, text }) => {
    const lost = marked.get(`${file}:${line}`);
    const gap = before > 0 && line > before + 1;
    before = line;
    const word = lost === undefined ? "" : lost ? "lost" : "set here";
    return h("li", { id: id(file, line), tabindex: word ? "-1" : null, value: line, class: [lost === undefined ? "" : lost ? "lost" : "set", gap ? "gap" : ""].join(" ") },
      h("code", {}, text || " "), word ? h("span", { class: "mark" }, ` ← ${word}`) : null);
  });
  return h("figure", {}, h("figcaption", {}, h("code", {}, file)), h("ol", { class: "source", tabindex: "0", "aria-label": file }, rows));
};
