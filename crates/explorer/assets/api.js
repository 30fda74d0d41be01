// Asks the server for documents, and sends actions.

const API = "/explore/api/";

/** The address of a document. */
export function url(segments, parameters = {}) {
  const path = segments.map(encodeURIComponent).join("/");
  const chosen = Object.entries(parameters).filter(([, value]) => value !== null && value !== undefined && value !== "");
  const query = new URLSearchParams(chosen).toString();
  return `${API}${path}${query ? `?${query}` : ""}`;
}

/** A document. An error has the text of the server. */
export async function get(segments, parameters, signal) {
  return read(await fetch(url(segments, parameters), { signal, headers: { accept: "application/json" } }));
}

/** Sends an action. Returns the reply. */
export async function send(method, segments, body) {
  const headers = { accept: "application/json", "content-type": "application/json" };
  return read(await fetch(url(segments), { method, headers, body: JSON.stringify(body ?? {}) }));
}

async function read(response) {
  const text = await response.text();
  if (response.ok) return JSON.parse(text);
  let message = text;
  try {
    message = JSON.parse(text).error ?? text;
  } catch {
    // The text of a proxy is no JSON.
  }
  throw new Error(message || `the server answers with ${response.status}`);
}

/** Calls a function whenever the server has stored a report. Returns the end of that. */
export function follow(receive) {
  const source = new EventSource(`${API}live`);
  let isFirst = true;
  source.addEventListener("reports", () => {
    // The first event is the state at the beginning.
    if (!isFirst) receive();
    isFirst = false;
  });
  return () => source.close();
}
