import { textsOf } from '../../core/network/box-texts.js';
import { crowded, wayOf } from '../../core/network/ways.js';

/** @import { Scene, Box, Line } from '../../core/network/types.js' */
/** @import { Kind } from '../../core/network/kinds.js' */

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
  const lines = scene.lines.map((line, at) => drawLine(line, at, scene));
  const labels = lines.flatMap(({ label }) => label ?? []);
  const places = labels.map((label) => ({ x: Number(label.getAttribute('x')), y: Number(label.getAttribute('y')), text: label.textContent ?? '' }));
  for (const [at, low] of crowded(places).entries()) if (low) labels[at].setAttribute('y', String(places[at].y + LOWER));
  all.append(...lines.map(({ way }) => way), ...lines.flatMap(({ named }) => named ?? []), ...scene.boxes.map(drawBox));
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
 * @param {number} at its place among the lines
 * @param {Scene} scene
 * @returns {{way: SVGElement, named: SVGElement | null, label: SVGElement | null}} named: the link around the label
 */
function drawLine(line, at, scene) {
  const { d, head, label } = wayOf(line, scene.boxes[line.source], scene.boxes[line.target]);
  const classes = `line ${line.kind}${line.changed ? ' changed' : ''}`;
  const leads = { tabindex: '-1', 'data-line': String(at), ...(line.href ? { href: line.href } : {}) };
  const link = shape('a', { class: classes, ...leads });
  link.dataset.tensor = line.tensor;
  link.append(
    titled(`${line.tensor}: ${line.label}`),
    shape('path', { class: 'hit', d }),
    ...(line.changed ? [shape('path', { class: 'halo', d })] : []),
    shape('path', { class: 'way', d }),
    shape('path', { class: 'head', d: head }),
  );
  if (!line.labelled) return { way: link, named: null, label: null };
  const text = shape('text', { class: `label ${line.kind}`, x: String(label[0]), y: String(label[1]) });
  text.textContent = line.label;
  const named = shape('a', leads);
  named.append(text);
  return { way: link, named, label: text };
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
  const { near, far, cut } = textsOf(box);
  const step = kind === 'input' || kind === 'reorder' ? 1.15 : 1.3;
  for (const [at, { name, whole, short }] of near.entries()) {
    const dy = `${((at - (near.length - 1) / 2) * step).toFixed(2)}em`;
    group.append(written(whole === short ? name : `${name} whole`, whole, { dy }));
    if (whole !== short) group.append(written(`${name} short`, short, { dy }));
  }
  group.append(...far.map(({ name, text, y: middle }) => written(name, text, { y: middle.toFixed(1) })));
  if (cut) group.prepend(titled([box.title, box.detail, ...(box.lost ? [`loses ${box.lost}`] : [])].join(', ')));
  return group;
}

/**
 * @param {string} name its class
 * @param {string} text
 * @param {Record<string, string>} place
 */
function written(name, text, place) {
  const part = shape('text', { class: name, x: '0', ...place });
  part.textContent = text;
  return part;
}

/** @param {string} text what a pointer that rests is told */
function titled(text) {
  const title = shape('title', {});
  title.textContent = text;
  return title;
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
