import { IMPORTED } from '../../api/python.js';
import { formatUnits } from '../cost/link.js';
import { formatState } from '../permalink.js';

/** @import { PageState } from '../types.js' */
/** @typedef {'both' | 'logical' | 'memory'} PictureView */
/** @typedef {'markdown' | 'html' | 'curl' | 'python'} TakenText */

/** What /picture draws of a tensor as it was typed. @type {readonly ('dtype' | 'dims' | 'elements' | 'steps' | 'slice')[]} */
const FIELDS = Object.freeze(['dtype', 'dims', 'elements', 'steps', 'slice']);
const READABLE = Object.freeze([['%2C', ','], ['%3A', ':'], ['%28', '('], ['%29', ')'], ['%40', '@']]);

/** Values that a picture's query may carry. */
const MOST_VALUES = 1024;

/**
 * The values that a picture's query carries: of data that are real, and few enough for an address.
 * @param {import('../types.js').Values | null} values
 * @returns {string} empty for none
 */
export function valuesText(values) {
  return values?.role === 'data' && !values.parts && values.data.length <= MOST_VALUES ? Array.from(values.data, String).join() : '';
}

/**
 * The query of /api/v1/picture.* that draws what a page shows.
 * @param {PageState} state
 * @param {{theme: string, view?: PictureView, values?: import('../types.js').Values | null}} look values: of A's elements, before the steps
 * @returns {string}
 */
export function pictureQuery(state, { theme, view = 'both', values = null }) {
  const query = new URLSearchParams();
  query.set('shape', shapeText(state.a.shape));
  query.set('layout', state.a.layout.trim());
  for (const name of FIELDS) if (state.a[name].trim()) query.set(name, state.a[name].trim());
  if (state.b) query.set('b-layout', state.b.layout.trim());
  if (view !== 'both') query.set('view', view);
  if (state.rowLength !== 'auto') query.set('row', String(state.rowLength));
  if (state.selected && state.selected.length > 0) query.set('at', state.selected.join());
  const data = valuesText(values);
  if (state.colour !== 'auto') query.set('colour', state.colour);
  formatUnits(state, query);
  if (state.text !== 'auto') query.set('text', state.text);
  if (data) query.set('values', data);
  if (theme !== 'light') query.set('theme', theme);
  return READABLE.reduce((text, [code, sign]) => text.replaceAll(code, sign), query.toString());
}

/**
 * A shape as the API takes it, from what may be typed.
 * @param {string} text
 */
function shapeText(text) {
  return text.replace(/(\d)\s*[xX×*]\s*(?=[-\d])/g, '$1,').split(/[\s,;()[\]{}]+/).filter(Boolean).join();
}

/**
 * The link of a state, which says its version.
 * @param {PageState} state
 * @returns {string} the query, without '?'
 */
export function linkQuery(state) {
  return `v=1&${formatState(state)}`;
}

/**
 * @param {TakenText} kind
 * @param {{origin: string, link: string, picture: string, title: string, values?: string}} parts link, picture: queries; title: without markup
 * @returns {string}
 */
export function takenText(kind, { origin, link, picture, title, values = '' }) {
  const page = `${origin}/?${link}`;
  const file = `${origin}/api/v1/picture.svg?${picture}`;
  const said = title.replace(/[[\]\\`<>"&]/g, '');
  switch (kind) {
    case 'markdown':
      return `[![${said}](${inMarkdown(file)})](${inMarkdown(page)})`;
    case 'html':
      return `<iframe src="${inHtml(`${origin}/embed?${link}${values && `&values=${values}`}`)}" width="720" height="${new URLSearchParams(link).has('b-layout') ? 560 : 420}" style="border:0;max-width:100%" loading="lazy" title="${inHtml(said)}"></iframe>`;
    case 'curl':
      return `curl -o picture.svg ${inShell(file)}`;
    default:
      return python(picture, file);
  }
}

/**
 * @param {string} picture the query
 * @param {string} file
 */
function python(picture, file) {
  const query = new URLSearchParams(picture);
  const shape = query.get('shape') ?? '';
  const layout = query.get('layout');
  if (query.has('steps')) return `from urllib.request import urlretrieve\nurlretrieve(${JSON.stringify(file)}, "picture.svg")`;
  const comma = shape.includes(',') || shape === '' ? '' : ',';
  /** @param {string} name @param {string} usual */
  const given = (name, usual) => (query.get(name) ?? usual) === usual ? '' : `, ${name}=${JSON.stringify(query.get(name))}`;
  return `${IMPORTED}\nlayout = stridescope.parse_layout(${JSON.stringify(layout)}, (${shape}${comma})${given('dims', '')}${given('dtype', 'float32')})`;
}

/** @param {string} text */
function inMarkdown(text) {
  return text.replace(/[()<>\s]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`);
}

/** @param {string} text */
function inHtml(text) {
  return text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');
}

/** @param {string} text */
function inShell(text) {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
