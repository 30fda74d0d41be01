// Tables whose rows the server pages.

import { get, url } from "./api.js";
import { h } from "./dom.js";

const PAGE = 50;

/**
 * A table. `columns` are pairs of a heading and a function from a row to its cell. `path` and
 * `parameters` name the document.
 */
export function table({ caption, path, parameters = {}, columns, empty = "Nothing.", signal }) {
  const area = h("section", { class: "table", "aria-label": caption, tabindex: "-1" });
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
  /** Loads the rows again, unless somebody is in the table with the keyboard. */
  area.refresh = () => {
    if (!area.contains(document.activeElement)) load();
  };
  /** Loads the rows again after an action in the table, which gets the focus. */
  area.reload = () => {
    area.focus();
    load();
  };
  return area;
}

/** The text of a cell for a file: times as they are, not as ages. */
function saved(cell) {
  const texts = [...cell.querySelectorAll("time")].map((time) => time.getAttribute("datetime"));
  return texts.length > 0 ? texts.join(" ") : cell.textContent.trim();
}

/** A cell of CSV. A text that a spreadsheet would take for a formula gets an apostrophe before it. */
function csvCell(text) {
  const isFormula = /^[=+\-@\t\r]/.test(text) && Number.isNaN(Number(text));
  const plain = isFormula ? `'${text}` : text;
  return /[",\r\n]/.test(plain) ? `"${plain.replaceAll('"', '""')}"` : plain;
}

/** Saves the rows of a table that is on the page. */
function save(found, name, form) {
  const rows = [...found.rows].map((row) => [...row.cells].map(saved));
  const [heads, ...lines] = rows;
  const text = form === "csv"
    ? rows.map((row) => `${row.map(csvCell).join(",")}\r\n`).join("")
    : `${JSON.stringify(lines.map((line) => Object.fromEntries(line.map((text, at) => [heads[at], text]))), null, 2)}\n`;
  const href = URL.createObjectURL(new Blob([text], { type: form === "csv" ? "text/csv" : "application/json" }));
  h("a", { href, download: `${name}.${form}` }).click();
  setTimeout(() => URL.revokeObjectURL(href), 10000);
}

/** A table of rows that are here already. */
export function list(caption, columns, rows, empty = "Nothing.") {
  if (rows.length === 0) return h("section", {}, h("h2", {}, caption), h("p", { class: "quiet" }, empty));
  const heads = columns.map(([name]) => h("th", { scope: "col" }, name));
  const line = (row) => h("tr", {}, columns.map(([, cell]) => h("td", {}, cell(row))));
  const found = h("table", {}, h("thead", {}, h("tr", {}, heads)), h("tbody", {}, rows.map(line)));
  const button = (text, form) => h("button", { type: "button", onclick: () => save(found, caption, form) }, text);
  return h("section", { "aria-label": caption }, h("h2", {}, caption),
    h("div", { class: "scroll", tabindex: "0", role: "group", "aria-label": `${caption}, scrolls sideways` }, found),
    h("p", { class: "paging" }, button("CSV", "csv"), button("JSON", "json")));
}
