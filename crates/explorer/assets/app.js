// The page: routes, keys, the theme, and news from the server.

import { follow } from "./api.js";
import { audit } from "./audit.js";
import { certificates } from "./certificates.js";
import { compare } from "./compare.js";
import { diff } from "./diff.js";
import { address, h } from "./dom.js";
import { fleetRun, fleetRuns, newFleetRun } from "./fleet_runs.js";
import { node, resource } from "./node.js";
import { nodes } from "./nodes.js";
import { overview } from "./overview.js";
import { report } from "./report.js";
import { repository, repositoryNodes } from "./repository.js";
import { compareRuns } from "./runs.js";
import { search } from "./search.js";
import { session } from "./session.js";
import { why } from "./why.js";

const main = document.getElementById("main");
const live = document.getElementById("status");
const field = document.getElementById("search-text");
let running = new AbortController();

/** The page of an address, and its arguments. A repository without a server has no runs. */
function route(mode) {
  const [path, query = ""] = location.hash.replace(/^#\/?/, "").split("?");
  const [name, ...segments] = path.split("/").map(decodeURIComponent);
  const parameters = new URLSearchParams(query);
  if (name === "node" && segments[1] === "resource") return [resource, segments, parameters];
  if (name === "node" && segments[1] === "why") return [why, segments, parameters];
  if (name === "report" && segments[1] === "compare" && mode !== "repository") return [compareRuns, segments, parameters];
  const shared = { node, search, diff, compare };
  const ofServer = { "": overview, nodes, report, run: fleetRun, runs: segments[0] === "new" ? newFleetRun : fleetRuns, certificates, audit };
  const pages = { ...shared, ...(mode === "repository" ? { "": repository, nodes: repositoryNodes } : ofServer) };
  return [pages[name] ?? null, segments, parameters];
}

/** Shows the page of the address. Unless `keepsFocus`, the focus moves to it. */
async function show(keepsFocus) {
  running.abort();
  running = new AbortController();
  const { signal } = running;
  try {
    const { mode } = await session();
    const [page, segments, parameters] = route(mode);
    if (!page) throw new Error("there is no such page");
    main.setAttribute("aria-busy", "true");
    const parts = await page({ segments, parameters, signal });
    main.replaceChildren(...parts.flat(Infinity).filter(Boolean));
  } catch (error) {
    if (error.name === "AbortError") return;
    main.replaceChildren(h("h1", {}, "This page cannot be shown"), h("p", { class: "error", role: "alert" }, error.message));
  }
  main.removeAttribute("aria-busy");
  const title = main.querySelector("h1")?.textContent ?? "";
  document.title = `${title} – Ordain`;
  for (const one of document.querySelectorAll("#pages a")) {
    const isCurrent = one.getAttribute("href").split("?")[0] === `#/${location.hash.replace(/^#\/?/, "").split(/[?/]/)[0]}`;
    if (isCurrent) one.setAttribute("aria-current", "page");
    else one.removeAttribute("aria-current");
  }
  if (keepsFocus) return;
  live.textContent = title;
  scrollTo(0, 0);
  main.focus({ preventScroll: true });
}

function setTheme(theme) {
  document.documentElement.dataset.theme = theme;
  document.getElementById("theme").textContent = theme === "dark" ? "Light" : "Dark";
}

function turnTheme() {
  const theme = document.documentElement.dataset.theme === "dark" ? "light" : "dark";
  localStorage.setItem("theme", theme);
  setTheme(theme);
}

/** Moves the focus to another row of the table that has it, or of the first one. */
function moveRow(step) {
  const rows = [...main.querySelectorAll("tbody tr")].map((row) => row.querySelector("a, button")).filter(Boolean);
  const at = rows.findIndex((one) => one.closest("tr").contains(document.activeElement));
  rows[Math.min(Math.max(at + step, 0), rows.length - 1)]?.focus();
}

let isAfterG = false;
const KEYS = {
  "/": () => field.focus(),
  j: () => moveRow(1),
  k: () => moveRow(-1),
  "[": () => main.querySelector("button.previous")?.click(),
  "]": () => main.querySelector("button.next")?.click(),
  t: turnTheme,
  "?": () => document.getElementById("keys").showModal(),
};
const AFTER_G = { o: "#/", n: "#/nodes", r: "#/runs", c: "#/compare", d: "#/diff" };

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input, textarea, select, dialog")) return;
  const target = isAfterG ? AFTER_G[event.key] : undefined;
  isAfterG = event.key === "g" && !isAfterG;
  if (target) location.hash = target;
  else if (KEYS[event.key]) KEYS[event.key]();
  else return;
  event.preventDefault();
});
document.getElementById("skip").addEventListener("click", (event) => {
  event.preventDefault();
  main.focus();
});
document.getElementById("search").addEventListener("submit", (event) => {
  event.preventDefault();
  location.hash = address(["search"], { q: field.value });
});
document.getElementById("theme").addEventListener("click", turnTheme);
document.getElementById("help").addEventListener("click", KEYS["?"]);
addEventListener("hashchange", () => show(false));

setTheme(localStorage.getItem("theme") ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light"));
show(true);
const signOut = document.getElementById("sign-out");
signOut.addEventListener("click", async () => {
  await fetch("/explore/signout", { method: "POST" });
  // The provider is asked again.
  location.assign("/explore/");
});
session().then(({ mode, user, can_sign_out: canSignOut, may_sign: maySign, admin_environments: admin }) => {
  document.getElementById("page-runs").hidden = mode === "repository";
  document.getElementById("page-certificates").hidden = !maySign;
  document.getElementById("page-audit").hidden = admin !== null;
  document.getElementById("user").textContent = user;
  signOut.hidden = !canSignOut;
  // Nothing arrives in a repository without a server.
  if (mode !== "repository") follow(news);
}, () => {});

function news() {
  // Only the overview shows what is new; elsewhere a table would change under the reader.
  const [page] = route("server");
  if (page === overview) show(true);
  live.textContent = "New reports were stored.";
}
