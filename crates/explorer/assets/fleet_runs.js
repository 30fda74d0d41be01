// Runs of many nodes: the list, one of them, and a new one.

import { action, number } from "./actions.js";
import { get, send } from "./api.js";
import { address, h, link, status, time } from "./dom.js";
import { session } from "./session.js";
import { table } from "./table.js";

/** The time between two looks at a run, in milliseconds. */
const LOOK = 2000;
/** The states of nodes whose turn is not over. */
const OPEN = ["waiting", "requested", "delivered"];

export async function fleetRuns({ signal }) {
  return [
    h("h1", {}, "Fleet runs"),
    h("p", { class: "quiet" }, "A fleet run asks the agents of many nodes to run now, some at a time. The table of ", link("nodes", ["nodes"]), " starts one."),
    table({ caption: "Fleet runs", path: ["runs"], columns: RUNS, empty: "No fleet run was started in the last 90 days.", signal }),
  ];
}

const RUNS = [
  ["Run", (row) => link(`Run ${row.run}`, ["run", String(row.run)])],
  ["State", (row) => status(row.state)],
  ["Nodes", (row) => counts(row.nodes)],
  ["Started", (row) => [time(row.started), ` by ${row.by}`]],
  ["Ended", (row) => (row.ended ? time(row.ended) : "")],
  ["Reason", (row) => row.reason ?? ""],
];

/** The number of nodes by state, in words. */
function counts(nodes) {
  return Object.entries(nodes).map(([state, number]) => `${number} ${state}`).join(", ");
}

/** One run. It is looked at again while it goes on. */
export async function fleetRun({ segments, signal }) {
  const [id] = segments;
  const [first, { fleet_run: limits }] = await Promise.all([get(["runs", id], {}, signal), session()]);
  const about = h("div", { tabindex: "-1" });
  const nodes = table({ caption: "Nodes", path: ["runs", id, "nodes"], columns: NODES, empty: "No nodes.", signal });
  let known = "";
  const show = (run) => {
    const text = JSON.stringify(run);
    if (text === known) return;
    // The table loads its first state itself.
    if (known) nodes.refresh();
    known = text;
    const focused = about.contains(document.activeElement) ? document.activeElement.textContent : null;
    about.replaceChildren(...summary(run, limits, look));
    // Another state has other buttons. The focus must not be lost.
    const buttons = [...about.querySelectorAll("button")];
    if (focused !== null) (buttons.find((one) => one.textContent === focused) ?? buttons[0] ?? about).focus();
  };
  const look = async () => show(await get(["runs", id], {}, signal));
  show(first);
  const timer = setInterval(async () => {
    try {
      await look();
    } catch {
      // A server that is restarted answers again later.
    }
    if (!about.isConnected) clearInterval(timer);
  }, LOOK);
  signal.addEventListener("abort", () => clearInterval(timer));
  return [h("p", { class: "crumbs" }, link("Fleet runs", ["runs"])), h("h1", {}, `Run ${id}`), about, nodes];
}

const NODES = [
  ["Node", (row) => link(row.name, ["node", row.name])],
  ["State", (row) => (row.report ? h("a", { href: address(["report", row.report]) }, status(row.state)) : status(row.state))],
  ["Canary", (row) => (row.canary ? "yes" : "")],
  ["Since", (row) => time(row.changed)],
];

/** The state of a run, and the actions on it. */
function summary(run, limits, look) {
  const total = Object.values(run.nodes).reduce((sum, number) => sum + number, 0);
  const open = OPEN.reduce((sum, state) => sum + (run.nodes[state] ?? 0), 0);
  const rows = [
    ["State", [status(run.state), run.reason ? `: ${run.reason}` : null]],
    ["Nodes", counts(run.nodes)],
    ["Started", [time(run.started), ` by ${run.by}`]],
    ["Nodes at a time", String(run.at_once)],
    ["Stops at", `${run.stop_at} % failures`],
  ];
  if (run.ended) rows.push(["Ended", time(run.ended)]);
  if (run.stopped_by && run.state === "running") rows.push(["Stopping", `${run.stopped_by} has stopped it; nodes that run may end their run`]);
  return [
    h("p", { role: "status" }, `${total - open} of ${total} nodes had their turn.`),
    h("dl", { class: "about" }, rows.map(([key, value]) => h("div", {}, h("dt", {}, key), h("dd", {}, value)))),
    run.may_run ? h("p", { class: "buttons" }, actions(run, limits, look)) : null,
  ].filter(Boolean);
}

function actions(run, limits, look) {
  const id = String(run.run);
  const stop = action({
    name: "Stop", title: `Stop run ${id}?`, text: "No further node has its turn. Nodes that run may end their run.", confirm: "Stop the run",
    request: () => ({ segments: ["runs", id, "stop"], body: {} }), done: look,
  });
  const resume = action({
    name: "Resume", title: `Resume run ${id}?`, text: "The nodes that had no turn get theirs. Earlier failures do not count any more.", confirm: "Resume the run",
    fields: [number("Nodes at a time", "at_once", run.at_once, [1, limits.most_at_once]), number("Stop at this share of failures, in percent", "stop_at", run.stop_at, [1, 100])],
    request: ({ at_once: atOnce, stop_at: stopAt }) => ({ segments: ["runs", id, "resume"], body: { at_once: Number(atOnce), stop_at: Number(stopAt) } }), done: look,
  });
  if (run.state === "stopped") return resume;
  if (run.state === "finished" || run.stopped_by) return null;
  // A run of a command line that was killed goes on with the servers.
  return run.by_server ? stop : [stop, resume];
}

/** A new run of the nodes that filters choose. */
export async function newFleetRun({ parameters, signal }) {
  const chosen = Object.fromEntries(parameters);
  const [{ total }, { fleet_run: limits }] = await Promise.all([get(["nodes"], { ...chosen, limit: 1 }, signal), session()]);
  const title = total === 1 ? "Run 1 node" : `Run ${total} nodes`;
  const back = link("Nodes", ["nodes"], chosen);
  if (total === 0) return [h("p", { class: "crumbs" }, back), h("h1", {}, title), h("p", { class: "quiet" }, "No node matches.")];
  const failure = h("p", { class: "error", role: "alert" });
  const submit = h("button", {}, title);
  const form = h("form", {
    class: "filters", "aria-label": "The run",
    onsubmit: async (event) => {
      event.preventDefault();
      submit.disabled = true;
      failure.textContent = "";
      const values = Object.fromEntries([...new FormData(form)].map(([name, value]) => [name, Number(value)]));
      try {
        const { run } = await send("POST", ["runs"], { filter: chosen, expected: total, ...values });
        location.hash = address(["run", String(run)]);
      } catch (error) {
        failure.textContent = error.message;
        submit.disabled = false;
      }
    },
  },
  number("Canaries: the first nodes by name", "canaries", 0, [0, total]),
  number("Nodes at a time", "at_once", limits.at_once, [1, limits.most_at_once]),
  number("Stop at this share of failures, in percent", "stop_at", limits.stop_at, [1, 100]),
  submit);
  return [
    h("p", { class: "crumbs" }, back),
    h("h1", {}, title),
    h("p", {}, "Agents of Ordain that hold a connection run now. Canaries run first; the others follow if all canaries succeed. Agents of Puppet hold none and are listed as unreached."),
    form, failure,
    table({ caption: "Nodes of the run", path: ["nodes"], parameters: chosen, columns: [
      ["Node", (row) => link(row.name, ["node", row.name])],
      ["Status", (row) => status(row.status)],
      ["Environment", (row) => row.environment ?? ""],
      ["Last run", (row) => time(row.report_time)],
    ], signal }),
  ];
}
