import { api } from "../../api.js";
import { sayRefused } from "../../components/shell/toast.js";
import { useEffect, useState } from "../../ui.js";

/**
 * Lines that are read page by page: the first by a resource that stays live, older ones when they are asked for.
 * @param {string} path
 * @param {import("../../resource.js").Resource<any>} first
 */
export function useOlder(path, first) {
  const [older, setOlder] = useState(/** @type {{items: any[], next: string | null}[]} */ ([]));
  const [busy, setBusy] = useState(false);
  useEffect(() => setOlder([]), [path]);
  const items = first.data?.items ?? [];
  const next = older.length ? older[older.length - 1].next : (first.data?.next_cursor ?? null);
  const more = async () => {
    setBusy(true);
    try {
      const page = await api.get(path, { cursor: next, limit: 50 });
      setOlder((before) => [...before, { items: page.items, next: page.next_cursor }]);
    } catch (error) {
      sayRefused("Nothing older was read.", error);
    }
    setBusy(false);
  };
  return { items: [...items, ...older.flatMap((page) => page.items)], next, busy, more };
}
