// Addresses: one for every view. Links are plain links; this only keeps the page from being loaded anew.
import { computed, signal } from "./ui.js";

/** Where the application is mounted: empty, or begins with a slash. */
export const ROOT = document.querySelector('meta[name="headrace-root"]')?.getAttribute("content") ?? "";

/** @typedef {{path: string, query: URLSearchParams, hash: string}} Place */

/** @returns {Place} */
function here() {
  const path = location.pathname.slice(ROOT.length) || "/";
  return { path, query: new URLSearchParams(location.search), hash: location.hash.slice(1) };
}

/** Where the reader is. */
export const place = signal(here());
/** The tenant that a super-admin works for; it stands in the address, so that a link shows the same to another. */
export const tenant = computed(() => place.value.query.get("tenant"));

/** @typedef {Record<string, string | number | null | undefined | string[]>} Query */

/**
 * The address of a view, for the same tenant.
 * @param {string} path
 * @param {Query} [query]
 */
export function href(path, query = {}) {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries({ tenant: tenant.peek(), ...query })) {
    if (Array.isArray(value)) for (const one of value) search.append(name, one);
    else if (value !== null && value !== undefined && value !== "") search.append(name, String(value));
  }
  const text = search.toString();
  return `${ROOT}${path}${text && `?${text}`}`;
}

/** Go to an address, as `href` makes them. @param {string} to @param {{replace?: boolean}} [how] */
export function navigate(to, { replace = false } = {}) {
  if (replace) history.replaceState(null, "", to);
  else history.pushState(null, "", to);
  const before = place.peek().path;
  place.value = here();
  if (!replace && before !== place.peek().path) {
    scrollTo(0, 0);
    document.getElementById("main")?.focus({ preventScroll: true });
  }
}

/** Change what the address says of the view, and stay. @param {Query} query @param {{replace?: boolean}} [how] */
export function setQuery(query, how = { replace: true }) {
  const now = Object.fromEntries(place.peek().query);
  navigate(href(place.peek().path, { ...now, ...query }), how);
}

/**
 * The parts of a path that a pattern names, if it fits: `/jobs/:id`.
 * @param {string} pattern
 * @param {string} path
 * @returns {Record<string, string> | null}
 */
export function match(pattern, path) {
  const wanted = pattern.split("/");
  const given = path.split("/");
  if (wanted.length !== given.length) return null;
  /** @type {Record<string, string>} */
  const params = {};
  for (const [i, part] of wanted.entries()) {
    if (part.startsWith(":")) {
      if (!given[i]) return null;
      params[part.slice(1)] = decodeURIComponent(given[i]);
    } else if (part !== given[i]) return null;
  }
  return params;
}

/** Listen to links and to the browser's own buttons. */
export function startRouter() {
  addEventListener("popstate", () => {
    place.value = here();
  });
  document.addEventListener("click", (event) => {
    const link = event.target instanceof Element ? event.target.closest("a[href]") : null;
    const plain = event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey;
    if (!(link instanceof HTMLAnchorElement) || !plain || event.defaultPrevented) return;
    if (link.origin !== location.origin || link.target || link.hasAttribute("download")) return;
    if (!link.pathname.startsWith(ROOT) || link.pathname.startsWith(`${ROOT}/api/`)) return;
    event.preventDefault();
    navigate(link.href);
  });
}
