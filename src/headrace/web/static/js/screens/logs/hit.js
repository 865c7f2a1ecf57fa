import { levelOf } from "../../components/log_view.js";
import { pieces } from "../../lib/ansi.js";
import { absolute, clock, dayMonth, shortId } from "../../lib/format.js";
import { zone } from "../../preferences.js";
import { href } from "../../router.js";
import { html } from "../../ui.js";

const DAY = 86_400_000;

/** One line; its time leads to where it stands in its job's log. @param {{line: Api.HitAnswer, words: string}} props */
export function Hit({ line, words }) {
  const at = Date.parse(line.at);
  const [letter, word, kind] = levelOf(line.level);
  const to = `${href(`/jobs/${line.job_id}`)}#R${line.run}-${line.seq}`;
  const when = Date.now() - at > DAY ? `${dayMonth(at, zone.value)} ${clock(at, zone.value)}` : clock(at, zone.value);
  return html`<li class="hit ${kind}">
    <a class="hit-at" href=${to} data-row title=${absolute(at, zone.value)}>${when}</a>
    <abbr class="level" title=${`${word}, ${line.stream}`}>${letter}</abbr>
    <a class="hit-job" href=${href(`/jobs/${line.job_id}`)}>${line.definition} <span class="quiet">${shortId(line.job_id)}</span></a>
    <span class="hit-text">${pieces(line.message).map((part) => html`<span class=${part.class || undefined}>${marked(part.text, words)}</span>`)}</span>
  </li>`;
}

/** The words of the search, where they stand. @param {string} text @param {string} words */
function marked(text, words) {
  const wanted = [...words.matchAll(/[\p{L}\p{N}_]{2,}/gu)].map(([one]) => one.toLowerCase());
  if (wanted.length === 0) return text;
  const parts = text.split(new RegExp(`(${wanted.join("|")})`, "giu"));
  return parts.map((part, i) => (i % 2 ? html`<mark>${part}</mark>` : part));
}
