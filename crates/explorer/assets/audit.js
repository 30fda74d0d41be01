// The audit log.

import { address, h, shown, time } from "./dom.js";
import { table } from "./table.js";

export async function audit({ parameters, signal }) {
  const q = parameters.get("q") ?? "";
  const label = "Filter users, actions and subjects";
  const input = h("input", { type: "search", name: "q", value: q, size: 34, "aria-label": label, placeholder: label, autocomplete: "off" });
  const form = h("form", {
    class: "filters",
    onsubmit: (event) => { event.preventDefault(); location.hash = address(["audit"], { q: input.value }); },
  }, input, h("button", {}, "Filter"));
  return [h("h1", {}, "Audit log"), form, table({ caption: "Actions", path: ["audit"], parameters: { q }, columns: COLUMNS, empty: "No action.", signal })];
}

const COLUMNS = [
  ["Number", (row) => String(row.number)],
  ["Time", (row) => time(row.time)],
  ["User", (row) => row.by],
  ["Action", (row) => h("code", {}, row.action)],
  ["Subject", (row) => row.subject],
  ["Detail", (row) => (Object.keys(row.detail ?? {}).length === 0 ? "" : h("code", {}, shown(row.detail)))],
];
