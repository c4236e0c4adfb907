import { crowded, wayOf } from '../../core/network/ways.js';

/** @import { Scene, Box, Line } from '../../core/network/types.js' */
/** @import { Kind } from '../../core/network/kinds.js' */

/** A title's size from far away: what its box has room for, at most this. */
const LARGEST_PX = 23;
const SMALLEST_PX = 16;
/** A line of a title is its letters high, without room below them. */
const LINE_EM = 0.91;
const CHARACTER_EM = 0.6;
const PADDED = 10;
/** A label that would touch another at its height stands so much lower. */
const LOWER = 14;
const SVG = 'http://www.w3.org/2000/svg';

/**
 * Draws a network as SVG. The style sheet gives colours and line patterns by class.
 * @param {Scene} scene
 * @returns {SVGGElement}
 */
export function drawScene(scene) {
  const all = shape('g', { class: 'scene' });
  const lines = scene.lines.map((line) => drawLine(line, scene));
  const labels = lines.flatMap(({ label }) => label ?? []);
  const places = labels.map((label) => ({ x: Number(label.getAttribute('x')), y: Number(label.getAttribute('y')), text: label.textContent ?? '' }));
  for (const [at, low] of crowded(places).entries()) if (low) labels[at].setAttribute('y', String(places[at].y + LOWER));
  all.append(...lines.map(({ way }) => way), ...labels, ...scene.boxes.map(drawBox));
  return all;
}

/**
 * A short line of a kind, for the legend.
 * @param {Kind} kind
 * @returns {SVGSVGElement}
 */
export function drawSample(kind) {
  const svg = shape('svg', { width: '38', height: '12', viewBox: '0 0 38 12', 'aria-hidden': 'true' });
  const line = shape('g', { class: `line ${kind}` });
  line.append(shape('path', { class: 'way', d: 'M1 6H37' }));
  svg.append(line);
  return svg;
}

/**
 * @param {Line} line
 * @param {Scene} scene
 * @returns {{way: SVGElement, label: SVGElement | null}}
 */
function drawLine(line, scene) {
  const { d, head, label } = wayOf(line, scene.boxes[line.source], scene.boxes[line.target]);
  const classes = `line ${line.kind}${line.changed ? ' changed' : ''}`;
  const link = shape('a', { class: classes, tabindex: '-1', ...(line.href ? { href: line.href } : {}) });
  link.dataset.tensor = line.tensor;
  const title = shape('title', {});
  title.textContent = `${line.tensor}: ${line.label}`;
  link.append(
    title,
    shape('path', { class: 'hit', d }),
    ...(line.changed ? [shape('path', { class: 'halo', d })] : []),
    shape('path', { class: 'way', d }),
    shape('path', { class: 'head', d: head }),
  );
  if (!line.labelled) return { way: link, label: null };
  const text = shape('text', { class: `label ${line.kind}`, x: String(label[0]), y: String(label[1]) });
  text.textContent = line.label;
  return { way: link, label: text };
}

/** @param {Box} box */
function drawBox(box) {
  const { x, y, width, height, kind } = box;
  const classes = ['box', kind, box.lost && 'losing', box.moves && 'moving', box.changed && 'changed'].filter(Boolean).join(' ');
  const group = shape('g', { class: classes, transform: `translate(${x} ${y})` });
  group.dataset.at = String(box.at);
  group.dataset.name = box.name;
  const frame = { x: String(-width / 2), y: String(-height / 2), width: String(width), height: String(height) };
  const round = kind === 'node' || kind === 'fold' ? '4' : String(height / 2);
  if (kind === 'fold') {
    // Two more sheets behind it.
    for (const shift of [6, 3]) {
      group.append(shape('rect', { class: 'frame', ...frame, rx: round, transform: `translate(${shift} ${shift})` }));
    }
  }
  group.append(shape('rect', { class: 'frame', ...frame, rx: round }));
  const lines = [
    { text: box.title, name: 'title' },
    { text: box.detail, name: 'detail' },
    ...(box.lost ? [{ text: `✕ lost: ${box.lost}`, name: 'lost' }] : []),
  ];
  const step = kind === 'input' || kind === 'reorder' ? 1.15 : 1.3;
  for (const [at, { text, name }] of lines.entries()) {
    const middle = (at - (lines.length - 1) / 2) * step;
    const part = shape('text', { class: name, x: '0', dy: `${middle.toFixed(2)}em` });
    part.textContent = text;
    group.append(part, ...(name === 'title' ? drawFar(part, box) : []));
  }
  return group;
}

/**
 * A title's size from far away. One that would be too small to read there is in two lines, broken where its words are; of
 * a reorder's only the second half is left, since the line above it says the first.
 * @param {SVGTextElement} title
 * @param {Box} box
 * @returns {SVGElement[]}
 */
function drawFar(title, { kind, width, height }) {
  const text = title.textContent ?? '';
  /** @param {string} part */
  const fitting = (part) => Math.min(LARGEST_PX, (width - PADDED) / (CHARACTER_EM * part.length));
  title.style.setProperty('--far', fitting(text).toFixed(1));
  const breaks = [...text.matchAll(/[_. ]/g)].map(({ index }) => index + 1);
  if (fitting(text) >= SMALLEST_PX || breaks.length === 0) return [];
  const at = breaks.reduce((best, each) => (Math.abs(each - text.length / 2) < Math.abs(best - text.length / 2) ? each : best));
  const halves = kind === 'reorder' ? [text.slice(text.indexOf('→'))] : [text.slice(0, at), text.slice(at)];
  const size = Math.min(height / (LINE_EM * halves.length), ...halves.map(fitting));
  title.classList.add('long');
  return halves.map((half, line) => {
    const part = shape('text', { class: 'half', x: '0', y: String((line - halves.length / 2 + 0.4) * size) });
    part.textContent = half;
    part.style.setProperty('--far', size.toFixed(1));
    return part;
  });
}

/**
 * @template {keyof SVGElementTagNameMap} K
 * @param {K} tag
 * @param {Record<string, string>} attributes
 * @returns {SVGElementTagNameMap[K]}
 */
export function shape(tag, attributes) {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  return element;
}
