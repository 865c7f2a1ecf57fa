// Text with terminal colours, as pieces of plain text with classes. Whatever else a terminal would do is left out.

/** @typedef {{text: string, class: string}} Piece */

const COLOURS = ["black", "red", "green", "yellow", "blue", "magenta", "cyan", "white"];
/** @type {Record<number, string>} */
const STYLES = { 1: "bold", 2: "dim", 3: "italic", 4: "underline" };
// Colours first, then other control sequences, then single control characters.
const SEQUENCE = /\x1b\[([0-9;]*)m|\x1b\[[0-9;?]*[A-Za-z]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)?|[\x00-\x08\x0b-\x1f\x7f]/g;

/** @param {string} text @returns {Piece[]} */
export function pieces(text) {
  if (!/[\x00-\x08\x0b-\x1f\x7f]/.test(text)) return [{ text, class: "" }];
  /** @type {Piece[]} */
  const found = [];
  let style = new Set();
  let colour = "";
  let from = 0;
  const add = (/** @type {number} */ to) => {
    if (to > from)
      found.push({
        text: text.slice(from, to),
        class: [...style, colour]
          .filter(Boolean)
          .map((name) => `ansi-${name}`)
          .join(" "),
      });
  };
  for (const match of text.matchAll(SEQUENCE)) {
    add(match.index);
    from = match.index + match[0].length;
    if (match[1] !== undefined) [style, colour] = turn(style, colour, match[1]);
  }
  add(text.length);
  return found;
}

/** @param {string} text */
export const plain = (text) => text.replace(SEQUENCE, "");

/**
 * @param {Set<string>} before
 * @param {string} colour
 * @param {string} codes
 * @returns {[Set<string>, string]}
 */
function turn(before, colour, codes) {
  const style = new Set(before);
  const numbers = codes.split(";").map(Number);
  for (let i = 0; i < numbers.length; i++) {
    const n = numbers[i];
    if (n === 0) {
      style.clear();
      colour = "";
    } else if (n in STYLES) style.add(STYLES[n]);
    else if (n === 22) ["bold", "dim"].forEach((name) => style.delete(name));
    else if (n === 23 || n === 24) style.delete(STYLES[n - 20]);
    else if (n >= 30 && n <= 37) colour = COLOURS[n - 30];
    else if (n >= 90 && n <= 97) colour = n === 90 ? "grey" : COLOURS[n - 90];
    else if (n === 39) colour = "";
    // Of 256 or millions of colours none is AA on every ground; they stay plain.
    else if (n === 38 || n === 48) i += numbers[i + 1] === 5 ? 2 : 4;
  }
  return [style, colour];
}
