// Tables whose rows the server pages.

import { get, url } from "./api.js";
import { h } from "./dom.js";

const PAGE = 50;

/**
 * A table. `columns` are pairs of a heading and a function from a row to its cell. `path` and
 * `parameters` name the document.
 */
export function table({ caption, path, parameters = {}, columns, empty = "Nothing.", signal }) {
  const area = h("section", { class: "table", "aria-label": caption });
  let offset = 0;

  async function load() {
    area.setAttribute("aria-busy", "true");
    try {
      const document = await get(path, { ...parameters, offset, limit: PAGE }, signal);
      area.replaceChildren(...render(document));
    } catch (error) {
      if (error.name !== "AbortError") area.replaceChildren(h("p", { class: "error", role: "alert" }, error.message));
    }
    area.removeAttribute("aria-busy");
  }

  function turn(to) {
    offset = to;
    load();
  }

  function render({ rows, total }) {
    if (total === 0) return [h("h2", {}, caption), h("p", { class: "quiet" }, empty)];
    const heads = columns.map(([name]) => h("th", { scope: "col" }, name));
    const line = (row) => h("tr", {}, columns.map(([, cell], at) => (at === 0 ? h("th", { scope: "row" }, cell(row)) : h("td", {}, cell(row)))));
    const last = Math.min(offset + rows.length, total);
    const paging = h("p", { class: "paging" },
      h("button", { type: "button", class: "previous", disabled: offset === 0, onclick: () => turn(Math.max(0, offset - PAGE)) }, "Previous"),
      h("span", { role: "status" }, `${offset + 1}–${last} of ${total}`),
      h("button", { type: "button", class: "next", disabled: last >= total, onclick: () => turn(offset + PAGE) }, "Next"),
      h("a", { href: url(path, { ...parameters, all: 1, format: "csv" }), download: `${path.at(-1)}.csv` }, "CSV"),
      h("a", { href: url(path, { ...parameters, all: 1 }), download: `${path.at(-1)}.json` }, "JSON"));
    const scroll = h("div", { class: "scroll", tabindex: "0", role: "group", "aria-label": `${caption}, scrolls sideways` },
      h("table", {}, h("thead", {}, h("tr", {}, heads)), h("tbody", {}, rows.map(line))));
    return [h("h2", {}, caption), scroll, paging];
  }

  load();
  return area;
}

/** A table of rows that are here already. */
export function list(caption, columns, rows, empty = "Nothing.") {
  if (rows.length === 0) return h("section", {}, h("h2", {}, caption), h("p", { class: "quiet" }, empty));
  const heads = columns.map(([name]) => h("th", { scope: "col" }, name));
  const line = (row) => h("tr", {}, columns.map(([, cell]) => h("td", {}, cell(row))));
  return h("section", { "aria-label": caption }, h("h2", {}, caption),
    h("div", { class: "scroll", tabindex: "0", role: "group", "aria-label": `${caption}, scrolls sideways` },
      h("table", {}, h("thead", {}, h("tr", {}, heads)), h("tbody", {}, rows.map(line)))));
}
