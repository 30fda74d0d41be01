// Drives the pages of the explorer in Chromium.
//
// usage: node journeys.mjs URL PICTURES [repository | sign-in]
//
// With `repository` the pages are those of `ordain explore`, whose URL has a token that works once. With
// `sign-in` the server sends the browser to a provider of OpenID Connect, and a user signs out.
// Visits each page, uses the keyboard, looks for violations with axe, and saves pictures. Prints one line
// for each mistake, and exits with their number.

import { readFileSync, mkdirSync } from "node:fs";
import { createRequire } from "node:module";
import puppeteer from "puppeteer-core";

const [first, pictures, mode = "server"] = process.argv.slice(2);
const [root] = first.split("?");
const isLocal = mode === "repository";
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const SIZES = [[320, 640], [375, 812], [1440, 900], [3840, 2160]];
const SERIOUS = ["serious", "critical"];
mkdirSync(pictures, { recursive: true });

const browser = await puppeteer.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox", "--ignore-certificate-errors"] });
let mistakes = 0;
const mistake = (text) => { mistakes += 1; console.log(text); };

async function open(width, height, theme) {
  const page = await browser.newPage();
  // Axe is a script of the test; everything else obeys the policy of the pages.
  await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: theme }]);
  await page.setViewport({ width, height });
  page.on("pageerror", (error) => mistake(`an error in a page: ${error.message}`));
  page.on("console", (message) => {
    // Browsers note each reply with an error, which the pages show themselves.
    const isRefusal = message.text().includes("status of 404") && message.location().url?.endsWith("/pin");
    if (message.type() === "error" && !isRefusal) mistake(`the console says: ${message.text()}`);
  });
  return page;
}

async function go(page, hash) {
  if (page.url().startsWith(root)) await page.evaluate((hash) => { location.hash = hash; }, hash);
  else await page.goto(root + hash);
  await page.waitForFunction(() => document.querySelector("#main h1") && !document.querySelector("[aria-busy]"), { timeout: 20000 });
}

/** The addresses of one page of each kind, found by following links. */
async function addresses() {
  const page = await open(1440, 900, "light");
  const all = { overview: "#/", nodes: "#/nodes" };
  const href = (selector) => page.$eval(selector, (link) => link.getAttribute("href"));
  await go(page, isLocal ? "#/nodes" : "#/nodes?status=failed");
  all.node = (await href("tbody th a")).replace(/\/resources$/, "");
  if (!isLocal) all.report = await href("tbody a[href^='#/report/']");
  all.facts = `${all.node}/facts`;
  all.resources = `${all.node}/resources?q=motd`;
  all.graph = `${all.node}/graph`;
  await go(page, "#/nodes");
  const names = await page.$$eval("tbody th a", (links) => links.map((link) => link.textContent));
  const pair = new URLSearchParams({ a: names[0], b: names[1], ...(isLocal ? { a_revision: "HEAD~1" } : {}) });
  all.choice = "#/diff";
  all.diff = isLocal ? "#/diff?before=HEAD~1&after=HEAD" : "#/diff?before=production&after=staging";
  all.compare = `#/compare?${pair}`;
  all.filtered = `${all.diff}&kind=File%5B/etc/motd%5D&attribute=content`;
  if (!isLocal) {
    all.catalogs = "#/node/changed.example.org/catalogs";
    await go(page, all.catalogs);
    await page.waitForSelector("tbody a[href*='a_time=']");
    all.times = await href("tbody td a[href*='a_time=']");
    await go(page, "#/node/changed.example.org");
    await page.waitForSelector("tbody a[href^='#/report/']");
    const run = await href("tbody a[href^='#/report/']");
    all.otherrun = `${run}/compare`;
    await go(page, all.otherrun);
    await page.waitForSelector("tbody a[href*='other=']");
    all.runs = await href("tbody a[href*='other=']");
    await go(page, "#/node/unchanged.example.org");
    await page.waitForSelector("tbody a[href^='#/report/']");
    all.path = await href("tbody a[href^='#/report/']");
    await go(page, all.path);
    const path = await page.$$eval("ol.path li", (all) => all.map((one) => one.textContent));
    if (path.join(" ") !== "File[/etc/motd] 0.250 s Service[ssh] 2.5 s") mistake(`the critical path is ${path}`);
  }
  await go(page, all.resources);
  all.resource = await href("tbody th a");
  await go(page, all.resource);
  all.why = await href("tbody a[href*='/why?']");
  all.search = "#/search?q=example";
  await page.close();
  return all;
}

async function look(name, hash, [width, height], theme) {
  const page = await open(width, height, theme);
  await go(page, hash);
  if (await page.$("[role=alert]:not(:empty)")) mistake(`${name}: ${await page.$eval("[role=alert]:not(:empty)", (one) => one.textContent)}`);
  const { scroll, client } = await page.evaluate(() => ({ scroll: document.documentElement.scrollWidth, client: document.documentElement.clientWidth }));
  if (scroll > client) mistake(`${name} at ${width} px scrolls sideways: ${scroll} px`);
  if (await page.evaluate(() => "evil" in window || document.querySelector("main script, main img"))) mistake(`${name} runs data`);
  const unsaved = await page.$$eval("#main table", (all) => all.filter((one) => !["CSV", "JSON"].every((form) => [...one.closest("section").querySelectorAll("a, button")].some((link) => link.textContent === form))).length);
  if (unsaved > 0) mistake(`${name}: ${unsaved} tables cannot be saved`);
  await page.screenshot({ path: `${pictures}/${name}-${width}-${theme}.png` });
  await page.evaluate(axe);
  const found = await page.evaluate(() => axe.run());
  for (const one of found.violations.filter(({ impact }) => SERIOUS.includes(impact))) {
    mistake(`${name} at ${width} px, ${theme}: ${one.id}: ${one.nodes.slice(0, 3).map(({ html }) => html.slice(0, 120)).join(" | ")}`);
  }
  await page.close();
}

/** A change is shown with its lines, and leads to the line of its cause. */
async function causes(hash) {
  const page = await open(1440, 900, "light");
  await go(page, hash);
  const groups = await page.$$eval(".group", (all) => all.map((one) => one.textContent));
  if (!groups.some((text) => text.includes("/etc/motd"))) mistake(`a change is missing: ${groups}`);
  const secrets = await page.evaluate(() => document.body.textContent.includes("hunter2"));
  if (secrets) mistake("a secret is shown");
  await page.click(".group a[href*='/why?']");
  await page.waitForFunction(() => document.activeElement?.closest(".source"), { timeout: 20000 });
  await page.close();
}

/** The texts of the elements that a selector finds on a page, when there are some. */
async function texts(hash, selector) {
  const page = await open(1440, 900, "light");
  await go(page, hash);
  await page.waitForSelector(selector, { timeout: 20000 });
  const found = await page.$$eval(selector, (all) => all.map((one) => one.textContent));
  await page.close();
  return found;
}

/** Two times of a node, two runs, and filtered changes show what differs, and only that. */
async function comparisons(all) {
  const [filtered] = await texts(all.filtered, ".group");
  if (!filtered.includes("/etc/motd") || filtered.includes("/etc/key")) mistake(`filtered changes are ${filtered}`);
  if (isLocal) return;
  const times = (await texts(all.times, ".group")).join(" ");
  for (const text of ["Service[cron]", "/etc/motd", "Good morning"]) {
    if (!times.includes(text)) mistake(`the comparison of two times lacks ${text}: ${times}`);
  }
  if (times.includes("Service[ssh]")) mistake(`the comparison of two times has what is the same: ${times}`);
  const runs = (await texts(all.runs, "tbody tr")).join(" ");
  if (!runs.includes("File[/srv/0]") || !runs.includes("no event")) mistake(`the comparison of two runs is ${runs}`);
}

/** Presses Tab until an element has the focus. */
async function tabTo(page, selector) {
  for (let presses = 0; presses < 200; presses += 1) {
    await page.keyboard.press("Tab");
    if (await page.evaluate((selector) => document.activeElement.matches(selector), selector)) return;
  }
  throw new Error(`Tab does not reach ${selector}`);
}

/** Without a mouse: a node at two times, another run of a run, and filters of changes. */
async function keyboardOfComparisons() {
  const page = await open(320, 640, "dark");
  const focus = () => page.evaluate(() => document.getElementById("main").focus());
  if (!isLocal) {
    await go(page, "#/node/changed.example.org");
    await focus();
    await tabTo(page, "nav.tabs a[href$='/catalogs']");
    await page.keyboard.press("Enter");
    await page.waitForSelector("tbody a[href*='a_time=']");
    await focus();
    await tabTo(page, "tbody td a[href*='a_time=']");
    await page.keyboard.press("Enter");
    await page.waitForFunction(() => location.hash.startsWith("#/compare?") && document.querySelector(".group"), { timeout: 20000 });
    await go(page, "#/node/changed.example.org");
    await page.waitForSelector("tbody a[href^='#/report/']");
    await focus();
    await page.keyboard.type("j");
    await page.keyboard.press("Enter");
    await page.waitForFunction(() => location.hash.startsWith("#/report/") && document.querySelector(".crumbs a[href$='/compare']"), { timeout: 20000 });
    await focus();
    await tabTo(page, ".crumbs a[href$='/compare']");
    await page.keyboard.press("Enter");
    await page.waitForSelector("tbody a[href*='other=']", { timeout: 20000 });
    await focus();
    await tabTo(page, "tbody a[href*='other=']");
    await page.keyboard.press("Enter");
    await page.waitForFunction(() => document.querySelector("h1")?.textContent === "Two runs" && document.querySelector("tbody"), { timeout: 20000 });
  }
  await go(page, isLocal ? "#/diff?before=HEAD~1&after=HEAD" : "#/diff?before=production&after=staging");
  await focus();
  await tabTo(page, "details.more > summary");
  await page.keyboard.press("Enter");
  await tabTo(page, "input[name=kind]");
  await page.keyboard.type("notify");
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => location.hash.includes("kind=notify") && !document.querySelector(".group") && document.querySelector(".summary"), { timeout: 20000 });
  if (!(await page.$("details.more[open]"))) mistake("filters that count are hidden");
  await page.close();
}

/** Without a mouse: a run of the failed nodes is started and stopped, a request for a certificate is signed. */
async function acting(all) {
  const page = await open(320, 640, "light");
  const focus = () => page.evaluate(() => document.getElementById("main").focus());
  const confirmed = async (selector) => {
    await focus();
    await tabTo(page, selector);
    await page.keyboard.press("Enter");
    await page.waitForSelector("dialog[open]:not(#keys)", { timeout: 20000 });
    await page.evaluate(axe);
    for (const one of (await page.evaluate(() => axe.run())).violations.filter(({ impact }) => SERIOUS.includes(impact))) mistake(`a dialog: ${one.id}`);
    await page.screenshot({ path: `${pictures}/dialog-${selector.replace(/\W+/g, "-")}-320-light.png` });
    await tabTo(page, "dialog[open] form button:not([type])");
    await page.keyboard.press("Enter");
    await page.waitForFunction(() => !document.querySelector("dialog[open]:not(#keys)"), { timeout: 20000 });
  };
  await go(page, "#/nodes?status=failed");
  await focus();
  await tabTo(page, "a[href^='#/runs/new?']");
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => document.querySelector("h1")?.textContent.startsWith("Run ") && document.querySelector("form.filters button"), { timeout: 20000 });
  await focus();
  await tabTo(page, "form.filters button");
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => location.hash.startsWith("#/run/") && document.querySelector("#main tbody"), { timeout: 20000 });
  all.fleetrun = await page.evaluate(() => location.hash);
  await confirmed("[data-action=Stop]");
  await page.waitForFunction(() => document.querySelector("#main").textContent.includes("alice has stopped it"), { timeout: 20000 });
  await go(page, "#/node/changed.example.org");
  for (const [name, revision] of [["Deactivate"], ["Pin", "no-such-revision"]]) {
    await focus();
    await tabTo(page, `[data-action=${name}]`);
    await page.keyboard.press("Enter");
    await page.waitForSelector("dialog[open]:not(#keys)");
    if (revision) {
      await page.type("dialog[open] input[name=revision]", revision);
      await page.keyboard.press("Enter");
      // The console of a browser notes each refused request.
      await page.waitForFunction(() => document.querySelector("dialog[open] [role=alert]").textContent.includes("no-such-revision"), { timeout: 20000 });
    }
    await page.keyboard.press("Escape");
    await page.waitForFunction(() => !document.querySelector("dialog[open]:not(#keys)"));
  }
  await go(page, "#/certificates");
  await page.waitForSelector("#main tbody");
  await confirmed("[data-action=Sign]");
  await page.waitForFunction(() => document.querySelector("#main").textContent.includes("No request waits"), { timeout: 20000 });
  const log = (await texts("#/audit", "tbody tr")).join(" ");
  for (const text of ["ca-sign", "new.example.org", "run-stop", "alice"]) {
    if (!log.includes(text)) mistake(`the audit log lacks ${text}: ${log}`);
  }
  Object.assign(all, { fleetruns: "#/runs", newrun: "#/runs/new?q=example", certificates: "#/certificates?name=new.example.org", audit: "#/audit" });
  await page.close();
}

/** Signs in through the provider, and out again without a mouse. Then the provider is asked again. */
async function signOut() {
  const page = await open(320, 640, "dark");
  const ready = () => page.waitForFunction(() => document.getElementById("user")?.textContent === "oidc:carol" && !document.getElementById("sign-out").hidden && document.querySelector("#main h1"), { timeout: 20000 });
  await page.goto(first);
  await ready();
  await page.screenshot({ path: `${pictures}/signed-in-320-dark.png` });
  await page.evaluate(axe);
  for (const one of (await page.evaluate(() => axe.run())).violations.filter(({ impact }) => SERIOUS.includes(impact))) mistake(`signed in: ${one.id}`);
  const before = await page.cookies();
  await tabTo(page, "#sign-out");
  await Promise.all([page.waitForNavigation({ timeout: 20000 }), page.keyboard.press("Enter")]);
  await ready();
  const value = (cookies) => cookies.find((one) => one.name === "__Host-ordain")?.value;
  const after = await page.cookies();
  if (!value(before) || value(before) === value(after)) mistake("the session goes on after the sign-out");
  await page.close();
}

/** A table that the page has made itself is saved as CSV, without formulas. */
async function saving(hash) {
  const page = await open(1440, 900, "light");
  await go(page, hash);
  const text = await page.evaluate(async () => {
    let saved = null;
    URL.createObjectURL = (blob) => { saved = blob; return "#saved"; };
    [...document.querySelectorAll("section[aria-label=Attributes] button")].find((one) => one.textContent === "CSV").click();
    return saved.text();
  });
  if (!text.startsWith("Attribute,Value,Origin\r\n")) mistake(`the attributes are saved as ${text}`);
  await page.close();
}

/** A journey without a mouse: from the first page to a node, a search, and the keys. */
async function keyboard() {
  const page = await open(1440, 900, "light");
  await go(page, "#/");
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  if (!(await page.evaluate(() => document.activeElement.id === "main"))) mistake("the skip link does not lead to the content");
  await page.keyboard.type("gn");
  await page.waitForFunction(() => document.querySelector("h1")?.textContent === "Nodes" && document.querySelector("tbody"));
  await page.keyboard.type("jj");
  const name = await page.evaluate(() => document.activeElement.textContent);
  await page.keyboard.press("Enter");
  await page.waitForFunction((name) => document.querySelector("h1").textContent.startsWith(name), {}, name);
  await page.keyboard.type("/example");
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => location.hash.startsWith("#/search?q=example") && document.querySelector("h1").textContent.includes("example"));
  await page.evaluate(() => document.getElementById("main").focus());
  const before = await page.evaluate(() => document.documentElement.dataset.theme);
  await page.keyboard.type("t");
  if (before === (await page.evaluate(() => document.documentElement.dataset.theme))) mistake("t does not change the theme");
  await page.keyboard.type("?");
  if (!(await page.$("dialog[open]"))) mistake("? does not show the keys");
  await page.keyboard.press("Escape");
  // The next pages show the theme of the system again.
  await page.evaluate(() => localStorage.clear());
  await page.close();
}

async function visit() {
  const begin = await open(1440, 900, "light");
  await begin.goto(first);
  await begin.waitForSelector("#main h1");
  await begin.close();
  const all = await addresses();
  await keyboard();
  await keyboardOfComparisons();
  await comparisons(all);
  await causes(all.diff);
  await saving(all.resource);
  if (!isLocal) await acting(all);
  for (const [name, hash] of Object.entries(all)) {
    for (const size of SIZES) {
      for (const theme of ["light", "dark"]) await look(name, hash, size, theme);
    }
  }
  console.log(`${Object.keys(all).length} pages, ${mistakes} mistakes`);
}

try {
  if (mode === "sign-in") await signOut();
  else await visit();
} finally {
  await browser.close();
}
process.exit(Math.min(mistakes, 100));
