// The one way to the server: JSON in and out, errors with the server's own sentence, for the tenant in the address.
import { setByServer } from "./clock.js";
import { ROOT, tenant } from "./router.js";

/** The server said no, and why. */
export class Refused extends Error {
  /**
   * @param {number} status
   * @param {{code?: string, detail?: string, errors?: {field: string, message: string}[]}} problem
   */
  constructor(status, problem) {
    super(problem.detail ?? `The server answered ${status}.`);
    this.status = status;
    this.code = problem.code ?? "";
    this.fields = Object.fromEntries((problem.errors ?? []).map(({ field, message }) => [field, message]));
  }
}

/** Nobody answered. */
export class Unreachable extends Error {
  constructor() {
    super("The server does not respond.");
  }
}

/** Called when the server no longer knows who asks. */
export const onUnknown = { call: () => {} };

/** Parameters by name, of the path and of the query. @typedef {Record<string, string | number | boolean | null | undefined | string[]>} Values */
/** @typedef {{values?: Values, body?: unknown, signal?: AbortSignal, headers?: Record<string, string>}} Asking */

/** Parameters that the path names in braces stand in it; the others are the query. @param {string} path @param {Values} [values] */
export function apiUrl(path, values = {}) {
  const search = new URLSearchParams();
  let filled = path;
  for (const [name, value] of Object.entries(values)) {
    const place = `{${name}}`;
    if (path.includes(place)) filled = filled.replace(place, () => encodeURIComponent(String(value)));
    else if (Array.isArray(value)) for (const item of value) search.append(name, item);
    else if (value !== null && value !== undefined && value !== "") search.append(name, String(value));
  }
  const query = search.toString();
  return `${ROOT}/api/v1${filled}${query && `?${query}`}`;
}

/**
 * The answer itself, if it is a good one; for streams and files.
 * @param {string} method
 * @param {string} path
 * @param {Asking} [asking]
 */
export async function request(method, path, { values, body, signal, headers = {} } = {}) {
  const chosen = tenant.peek();
  if (chosen !== null) headers["X-Headrace-Tenant"] = chosen;
  if (body !== undefined) headers["Content-Type"] = "application/json";
  /** @type {Response} */
  let response;
  try {
    response = await fetch(apiUrl(path, values), {
      method,
      headers,
      signal,
      credentials: "same-origin",
      cache: "no-store",
      body: body === undefined ? undefined : JSON.stringify(body),
    });
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new Unreachable();
  }
  setByServer(response.headers.get("Date"));
  if (response.ok) return response;
  if (response.status === 401) onUnknown.call();
  throw new Refused(response.status, await response.json().catch(() => ({})));
}

/** The edge: what JSON holds is taken at the API's word. @param {string} method @param {string} path @param {Asking} asking @returns {Promise<any>} */
async function ask(method, path, asking) {
  const response = await request(method, path, asking);
  return response.status === 204 ? null : response.json();
}

/**
 * What a call that reads is given; nothing, where it needs nothing.
 * @template {{values: object}} O
 * @typedef {{} extends O["values"] ? [values?: O["values"], signal?: AbortSignal] : [values: O["values"], signal?: AbortSignal]} Read
 */
/**
 * What a call that changes something is given.
 * @template {{values: object, body?: unknown}} O
 * @typedef {O extends {body: infer B} ? [values: O["values"], body: B] : {} extends O["values"] ? [values?: O["values"], body?: O["body"]] : [values: O["values"], body?: O["body"]]} Write
 */

/** Each method, by the paths of the API's reference: `api.get("/jobs/{job_id}", { job_id }, signal)`. */
export const api = {
  /** @template {keyof Api.Get} P @param {P} path @param {Read<Api.Get[P]>} given @returns {Promise<Api.Get[P]["answer"]>} */
  get: (path, ...[values, signal]) => ask("GET", path, { values: { ...values }, signal }),
  /** @template {keyof Api.Post} P @param {P} path @param {Write<Api.Post[P]>} given @returns {Promise<Api.Post[P]["answer"]>} */
  post: (path, ...[values, body]) => ask("POST", path, { values: { ...values }, body }),
  /** @template {keyof Api.Patch} P @param {P} path @param {Write<Api.Patch[P]>} given @returns {Promise<Api.Patch[P]["answer"]>} */
  patch: (path, ...[values, body]) => ask("PATCH", path, { values: { ...values }, body }),
  /** @template {keyof Api.Delete} P @param {P} path @param {Read<Api.Delete[P]>} given @returns {Promise<Api.Delete[P]["answer"]>} */
  delete: (path, ...[values]) => ask("DELETE", path, { values: { ...values } }),
};
