// The user, and whether the pages are about a server or one repository.

import { get } from "./api.js";

let known = null;

/** The session. It is asked for once, or again after an error. */
export function session() {
  known ??= get(["session"]).catch((error) => {
    known = null;
    throw error;
  });
  return known;
}
