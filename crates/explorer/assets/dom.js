// Makes elements. Every value becomes a text or an attribute, never markup.

const SVG = "http://www.w3.org/2000/svg";

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  for (const child of children.flat(Infinity)) {
    if (child !== null && child !== undefined && child !== false) element.append(child);
  }
  return element;
}

/** An element of HTML. A function as the value of `onNAME` listens to the event NAME. */
export function h(tag, attributes, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

/** An element of SVG. */
export function svg(tag, attributes, ...children) {
  return fill(document.createElementNS(SVG, tag), attributes, children);
}

/** The address of a page: segments, then parameters. Empty parameters are left out. */
export function address(segments, parameters = {}) {
  const path = segments.map(encodeURIComponent).join("/");
  const chosen = Object.entries(parameters).filter(([, value]) => value !== null && value !== undefined && value !== "");
  const query = new URLSearchParams(chosen).toString();
  return `#/${path}${query ? `?${query}` : ""}`;
}

/** A link to a page. */
export function link(text, segments, parameters) {
  return h("a", { href: address(segments, parameters) }, text);
}

/** A value of JSON as a text. */
export function shown(value) {
  if (value === null || value === undefined) return "";
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** A time, with its age. */
export function time(text) {
  if (!text) return "never";
  const then = new Date(text);
  if (Number.isNaN(then.getTime())) return text;
  return h("time", { datetime: text, title: text }, `${age(then)} ago`);
}

function age(then) {
  const seconds = Math.max(0, (Date.now() - then.getTime()) / 1000);
  const units = [[86400, "d"], [3600, "h"], [60, "min"], [1, "s"]];
  const [size, name] = units.find(([size]) => seconds >= size) ?? [1, "s"];
  return `${Math.floor(seconds / size)} ${name}`;
}

/** A status: a word with a mark, so that it does not depend on colours. */
export function status(word) {
  const marks = { failed: "✕", corrective: "↺", changed: "△", noop: "◇", unchanged: "✓", none: "–", success: "✓", failure: "✕", skipped: "–",
    waiting: "–", requested: "…", delivered: "▸", unreached: "∅", silent: "✕", running: "▸", stopped: "■", finished: "✓", signed: "✓", revoked: "✕" };
  return h("span", { class: `status ${word}` }, h("span", { "aria-hidden": "true" }, marks[word] ?? "•"), ` ${word}`);
}

/** A place in a source file. */
export function place(file, line) {
  return file ? h("code", { class: "place" }, line ? `${file}:${line}` : file) : "";
}
