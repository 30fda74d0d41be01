// Actions on the server, each confirmed in a dialog.

import { send } from "./api.js";
import { h } from "./dom.js";

/**
 * A button that asks in a dialog, and then sends an action. `fields` are elements of the dialog's form;
 * `request` makes `{ method, segments, body }` of the form's data; `done` gets the reply.
 */
export function action({ name, title, text, fields = [], confirm, request, done }) {
  const open = () => {
    const failure = h("p", { class: "error", role: "alert" });
    const submit = h("button", {}, confirm);
    const form = h("form", {
      onsubmit: async (event) => {
        event.preventDefault();
        submit.disabled = true;
        failure.textContent = "";
        try {
          const { method = "POST", segments, body } = request(Object.fromEntries(new FormData(form)));
          const reply = await send(method, segments, body);
          dialog.close();
          done(reply);
        } catch (error) {
          failure.textContent = error.message;
          submit.disabled = false;
        }
      },
    }, fields, failure, h("p", { class: "buttons" }, submit, h("button", { type: "button", onclick: () => dialog.close() }, "Cancel")));
    const dialog = h("dialog", { "aria-labelledby": "action-title", onclose: () => dialog.remove() },
      h("h2", { id: "action-title" }, title), [text].flat().map((line) => h("p", {}, line)), form);
    document.body.append(dialog);
    dialog.showModal();
  };
  return h("button", { type: "button", "data-action": name, onclick: open }, name);
}

/** A labelled number of a form. */
export function number(label, name, value, [min, max]) {
  return h("label", {}, label, h("input", { type: "number", name, value, min, max, required: true }));
}
