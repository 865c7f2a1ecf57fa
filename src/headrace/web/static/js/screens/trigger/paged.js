import { sayRefused } from "../../components/shell/toast.js";
import { useEffect, useState } from "../../ui.js";

/**
 * @template T
 * @typedef {{items: T[], next: string | null, busy: boolean, more: () => Promise<void>}} Older
 */

/**
 * Lines that are read page by page: the first by a resource that stays live, older ones when they are asked for.
 * @template T
 * @param {string} key another one begins anew
 * @param {{data?: Page<T> | null}} first
 * @param {(cursor: string | null) => Promise<Page<T>>} readPage
 * @returns {Older<T>}
 */
export function useOlder(key, first, readPage) {
  const [older, setOlder] = useState(/** @type {Page<T>[]} */ ([]));
  const [busy, setBusy] = useState(false);
  useEffect(() => setOlder([]), [key]);
  const items = first.data?.items ?? [];
  const next = (older.at(-1) ?? first.data)?.next_cursor ?? null;
  const more = async () => {
    setBusy(true);
    try {
      const page = await readPage(next);
      setOlder((before) => [...before, page]);
    } catch (error) {
      sayRefused("Nothing older was read.", error);
    }
    setBusy(false);
  };
  return { items: [...items, ...older.flatMap((page) => page.items)], next, busy, more };
}
