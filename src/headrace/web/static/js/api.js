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
    super("The server does not answer.");
  }
}

/** Called when the server no longer knows who asks. */
export const onUnknown = { call: () => {} };

/** @typedef {Record<string, string | number | boolean | null | undefined | string[]>} Query */
/** @typedef {{query?: Query, body?: unknown, signal?: AbortSignal, headers?: Record<string, string>}} Asking */

/** @param {string} path @param {Query} [query] */
export function apiUrl(path, query = {}) {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (Array.isArray(value)) for (const one of value) search.append(name, one);
    else if (value !== null && value !== undefined && value !== "") search.append(name, String(value));
  }
  const text = search.toString();
  return `${ROOT}/api/v1${path}${text && `?${text}`}`;
}

/**
 * The answer itself, if it is a good one; for streams and files.
 * @param {string} method
 * @param {string} path
 * @param {Asking} [asking]
 */
export async function request(method, path, { query, body, signal, headers = {} } = {}) {
  const chosen = tenant.peek();
  if (chosen !== null) headers["X-Headrace-Tenant"] = chosen;
  if (body !== undefined) headers["Content-Type"] = "application/json";
  /** @type {Response} */
  let response;
  try {
    response = await fetch(apiUrl(path, query), {
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

/** @param {string} method @param {string} path @param {Asking} [asking] @returns {Promise<any>} */
async function ask(method, path, asking) {
  const response = await request(method, path, asking);
  return response.status === 204 ? null : response.json();
}

export const api = {
  /** @param {string} path @param {Query} [query] @param {AbortSignal} [signal] */
  get: (path, query, signal) => ask("GET", path, { query, signal }),
  /** @param {string} path @param {unknown} [body] */
  post: (path, body) => ask("POST", path, { body }),
  /** @param {string} path @param {unknown} [body] */
  patch: (path, body) => ask("PATCH", path, { body }),
  /** @param {string} path @param {unknown} [body] */
  put: (path, body) => ask("PUT", path, { body }),
  /** @param {string} path */
  delete: (path) => ask("DELETE", path),
};
