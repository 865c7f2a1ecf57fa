import { api } from "../../api.js";
import { count } from "../../lib/format.js";
import { QUALIFIERS, SOURCES, STATUSES } from "../../lib/query.js";
import { useResource } from "../../resource.js";

const MOST = 8;
const TIMES = ["15m", "1h", "2h", "24h", "7d"];

/** What a word may become: qualifiers, and for each what there is. */
export function useSuggestions() {
  const definitions =
    useResource("definitions", (signal) => api.get("/definitions", { limit: 500 }, signal)).data?.items ?? [];
  const counts =
    useResource("counts of suggestions", (signal) => api.get("/jobs/counts", {}, signal)).data?.items ?? [];

  return (/** @type {string} */ word) => {
    const [name, value] = word.includes(":")
      ? [word.slice(0, word.indexOf(":")), word.slice(word.indexOf(":") + 1)]
      : ["", ""];
    if (name) {
      const items = valuesOf(name, definitions, counts).filter((one) => one.value.includes(value.toLowerCase()));
      return [
        {
          title: QUALIFIERS[name]?.says ?? "",
          items: items.slice(0, MOST).map((one) => ({ text: `${name}:${one.value}`, says: one.says, note: one.note })),
        },
      ];
    }
    const qualifiers = Object.entries(QUALIFIERS)
      .filter(([key]) => key.startsWith(word.toLowerCase()))
      .map(([key, { says }]) => ({ text: `${key}:`, says }));
    const named =
      word === ""
        ? []
        : definitions
            .filter((one) => one.key.includes(word))
            .slice(0, 4)
            .map((one) => ({ text: `definition:${one.key}`, note: one.kind }));
    return [
      { title: "Qualifier", items: qualifiers.slice(0, word ? MOST : 5) },
      { title: "Definitions", items: named },
    ];
  };
}

/**
 * @param {string} name
 * @param {Api.DefinitionAnswer[]} definitions
 * @param {Api.CountAnswer[]} counts
 * @returns {{value: string, says?: string, note?: string}[]}
 */
function valuesOf(name, definitions, counts) {
  const jobs = (/** @type {string} */ status) => counts.find((one) => one.status === status)?.jobs;
  if (name === "status")
    return [
      ...STATUSES.map((value) => ({ value, note: jobs(value) === undefined ? "" : `${count(jobs(value))} jobs` })),
      { value: "unsuccessful", says: "failed or dead_letter" },
    ];
  if (name === "definition") return definitions.map((one) => ({ value: one.key, note: one.kind }));
  if (name === "queue") return [...new Set(definitions.map((one) => one.queue))].sort().map((value) => ({ value }));
  if (name === "source") return SOURCES.map((value) => ({ value }));
  if (name === "after" || name === "before") return TIMES.map((value) => ({ value, says: `${value} ago` }));
  return [];
}
