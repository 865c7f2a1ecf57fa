import { html, useEffect, useId, useRef, useState } from "../ui.js";

const GAP = 4;

/** How many menus are open: while one is, what is below does not move. */
export const openMenus = { count: 0 };

/**
 * A button that opens a list of things to do. Each child is a `MenuItem`.
 * @param {{button: Children, class?: string, label?: string, left?: boolean, children: Children}} props
 */
export function Menu({ button, class: extra = "button", label, left = false, children }) {
  const [open, setOpen] = useState(false);
  const anchor = useRef(/** @type {HTMLElement | null} */ (null));
  const id = useId();

  const close = (/** @type {boolean} */ back) => {
    setOpen(false);
    if (back) anchor.current?.querySelector("button")?.focus();
  };
  useEffect(() => {
    if (!open) return undefined;
    openMenus.count += 1;
    items(anchor.current)[0]?.focus({ preventScroll: true });
    const outside = (/** @type {Event} */ event) => {
      if (!anchor.current?.contains(/** @type {Node} */ (event.target))) close(false);
    };
    const moved = () => close(false);
    document.addEventListener("pointerdown", outside);
    addEventListener("resize", moved);
    addEventListener("scroll", moved);
    return () => {
      openMenus.count -= 1;
      removeEventListener("resize", moved);
      removeEventListener("scroll", moved);
      document.removeEventListener("pointerdown", outside);
    };
  }, [open]);

  const onKeyDown = (/** @type {KeyboardEvent} */ event) => {
    if (!open) return;
    const all = items(anchor.current);
    const at = all.indexOf(/** @type {HTMLElement} */ (document.activeElement));
    const to = { ArrowDown: at + 1, ArrowUp: at - 1 + all.length, Home: 0, End: all.length - 1 }[event.key];
    if (to !== undefined) all[to % all.length]?.focus();
    else if (event.key === "Escape") close(true);
    else if (event.key === "Tab") close(false);
    else return;
    if (event.key !== "Tab") event.preventDefault();
    event.stopPropagation();
  };

  return html`<span class="menu-anchor" ref=${anchor} onKeyDown=${onKeyDown}>
    <button class=${extra} type="button" aria-haspopup="menu" aria-expanded=${open} aria-controls=${id}
      aria-label=${label} onClick=${() => setOpen(!open)}>${button}</button>
    ${open && html`<div class="menu menu-list" role="menu" id=${id} style=${placeBy(anchor.current, left)}
      onClick=${() => close(true)}>${children}</div>`}
  </span>`;
}

/** @param {{does?: () => void, checked?: boolean, href?: string, children: Children}} props */
export function MenuItem({ does, checked, href, children }) {
  if (href) return html`<a role="menuitem" tabindex="-1" href=${href}>${children}</a>`;
  const role = checked === undefined ? "menuitem" : "menuitemcheckbox";
  return html`<button type="button" role=${role} aria-checked=${checked} tabindex="-1" onClick=${does}>${children}
    </button>`;
}

/**
 * Below the button, or above it where there is more room; on top of all, so that no box cuts it off.
 * @param {HTMLElement | null} anchor
 * @param {boolean} left
 */
function placeBy(anchor, left) {
  if (!anchor) return {};
  const box = anchor.getBoundingClientRect();
  const below = innerHeight - box.bottom;
  const up = below < 280 && box.top > below;
  return {
    [up ? "bottom" : "top"]: `${up ? innerHeight - box.top + GAP : box.bottom + GAP}px`,
    [left ? "left" : "right"]: `${left ? box.left : Math.max(GAP, document.documentElement.clientWidth - box.right)}px`,
    maxHeight: `${Math.max(160, (up ? box.top : below) - 4 * GAP)}px`,
  };
}

/** @param {HTMLElement | null} anchor @returns {HTMLElement[]} */
const items = (anchor) => [...(anchor?.querySelectorAll(/** @type {"button"} */ ('[role^="menuitem"]')) ?? [])];
