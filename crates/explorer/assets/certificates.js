// Requests for certificates, and the certificate of a name.

import { action } from "./actions.js";
import { get } from "./api.js";
import { address, h, status } from "./dom.js";
import { session } from "./session.js";
import { table } from "./table.js";

export async function certificates({ parameters, signal }) {
  const name = parameters.get("name") ?? "";
  const { admin_environments: admin } = await session();
  const requests = table({ caption: "Requests", path: ["certificates"], columns: columns(() => requests.reload()), empty: "No request waits for a signature.", signal });
  const input = h("input", { type: "search", name: "name", value: name, spellcheck: "false", autocomplete: "off" });
  const form = h("form", {
    class: "filters", "aria-label": "The certificate of a name",
    onsubmit: (event) => { event.preventDefault(); location.hash = address(["certificates"], { name: input.value.trim() }); },
  }, h("label", {}, "Certificate of", input), h("button", {}, "Show"));
  return [h("h1", {}, "Certificates"), requests, h("h2", {}, "One certificate"), form, name ? await one(name, admin === null, signal) : null];
}

const columns = (done) => [
  ["Name", (row) => row.name],
  ["Fingerprint", (row) => h("code", {}, row.fingerprint)],
  ["Alternative names", (row) => row.alt_names.join(", ")],
  ["Authorization", (row) => Object.entries(row.authorization_extensions).map(([key, value]) => `${key}=${value}`).join(", ")],
  ["Decision", (row) => [decision("Sign", "sign", row, done), " ", decision("Reject", "reject", row, done)]],
];

/** A button that signs or rejects a request, as it is shown. */
function decision(label, word, { name, fingerprint }, done) {
  const effect = word === "sign" ? "The machine that has sent it is trusted as this node." : "The request is deleted. The machine may send another one.";
  return action({
    name: label, title: `${label} the request of ${name}?`, text: [effect, h("code", {}, fingerprint)], confirm: `${label} ${name}`,
    request: () => ({ segments: ["certificates", name, word], body: { fingerprint } }), done,
  });
}

/** The certificate of a name, and the button that revokes it. */
async function one(name, mayRevoke, signal) {
  let found;
  try {
    found = await get(["certificates", name], {}, signal);
  } catch (error) {
    if (error.name === "AbortError") throw error;
    return h("p", { class: "error", role: "alert" }, error.message);
  }
  const rows = [
    ["Name", found.name], ["State", status(found.state)], ["Valid from", found.not_before ?? ""], ["Valid until", found.not_after ?? ""],
    ["Serial number", found.serial_number === undefined ? "" : String(found.serial_number)], ["Alternative names", found.subject_alt_names.join(", ")],
    ["Fingerprint", h("code", {}, found.fingerprint)],
  ];
  const revoke = action({
    name: "Revoke", title: `Revoke the certificate of ${name}?`, text: "The server refuses this machine at once. A revoked certificate cannot be made valid again.", confirm: `Revoke ${name}`,
    request: () => ({ segments: ["certificates", name, "revoke"], body: {} }),
    done: () => dispatchEvent(new HashChangeEvent("hashchange")),
  });
  return [
    h("dl", { class: "about" }, rows.filter(([, value]) => value !== "").map(([key, value]) => h("div", {}, h("dt", {}, key), h("dd", {}, value)))),
    mayRevoke && found.state === "signed" ? h("p", { class: "buttons" }, revoke) : null,
  ];
}
