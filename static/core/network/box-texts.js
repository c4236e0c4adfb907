import { cut } from './texts.js';
import { FAR, FARTHEST } from './viewport.js';

/** @import { Box } from './types.js' */

/** From this scale on letters grow with their boxes; below it they keep their pixels. */
export const WHOLE = 1;
/** Of letters from far away, in units: 11 pixels at the least scale. The style sheet says the same. */
const FAR_SIZE = 23;
/** The least that a line of them needs: two have room in a node's box. */
const FAR_LINE = 21;
const LETTER_PX = 11;
const LETTER_EM = 0.6;
const PADDED = 8;

/**
 * What is written in a box.
 * @param {Pick<Box, 'title' | 'detail' | 'lost' | 'kind' | 'width' | 'height'>} box
 * @returns {{near: {name: string, whole: string, short: string}[], far: {name: string, text: string, y: number}[], cut: boolean}}
 *   near: its lines, whole where letters grow with the box, short below; far: what is left from far away; cut: whether
 *   any of it is cut
 */
export function textsOf({ title, detail, lost, kind, width, height }) {
  const loses = lost === '' ? [] : [{ name: 'lost', text: `✕ loses ${lost}`, spare: '✕ layout lost' }];
  const lines = [{ name: 'title', text: title, spare: title }, { name: 'detail', text: detail, spare: detail }, ...loses];
  const near = lines.map(({ name, text, spare }) => {
    const whole = fitting(text, width, WHOLE);
    const fits = fitting(whole, width, FAR) === whole;
    return { name, whole, short: fits ? whole : fitting(spare, width, FAR) };
  });
  const least = near.some(({ whole, short }, at) => short !== lines[at].text || whole !== short);
  const room = height - (lost === '' ? 0 : FAR_LINE);
  const far = farTitle(kind === 'reorder' ? title.slice(title.indexOf('→')) : title, width, room).map((text) => ({ name: 'half', text }));
  if (lost !== '') far.push({ name: 'half loss', text: '✕ lost' });
  const line = Math.min(FAR_SIZE, height / far.length);
  return { near, far: far.map((each, at) => ({ ...each, y: (at + 0.45 - far.length / 2) * line })), cut: least };
}

/**
 * A title from far away: in one line or, where a word ends, in two.
 * @param {string} title
 * @param {number} width
 * @param {number} height that it has room for
 * @returns {string[]}
 */
function farTitle(title, width, height) {
  const one = fitting(title, width, FARTHEST);
  const breaks = [...title.matchAll(/[_. ]|[a-z](?=[A-Z])/g)].map(({ index }) => index + 1);
  if (one === title || breaks.length === 0 || height < 2 * FAR_LINE) return [one];
  const at = breaks.reduce((best, each) => (Math.abs(each - title.length / 2) < Math.abs(best - title.length / 2) ? each : best));
  return [title.slice(0, at), title.slice(at)].map((half) => fitting(half, width, FARTHEST));
}

/**
 * A text cut to what a box has room for at a scale, in letters of 11 pixels.
 * @param {string} text
 * @param {number} width in units
 * @param {number} scale
 */
function fitting(text, width, scale) {
  return cut(text, Math.floor(((width - PADDED) * scale) / (LETTER_EM * LETTER_PX)));
}
