import { bytesText, cut, shapeText } from '../../core/network/texts.js';
import { NO_DIFFERENCE } from './assignment.js';

/** @import { GraphJson, Propagation, Arrangement, Vertex } from '../../api/networks/types.js' */
/** @import { Scene, Box } from '../../core/network/types.js' */
/** @import { Assignment, Difference } from './assignment.js' */

export const WIDTH = 148;
export const SIZES = Object.freeze({ input: 34, node: 42, fold: 56, reorder: 32 });
const LOST_LINE = 15;
/** A longer title is in two lines from far away: they are higher than a node. */
const MOST_LINE = 14;
const SECOND_LINE = 10;
/** Of a block's name, before the number of its repetitions. */
const MOST_BLOCK = 16;

/**
 * Puts what was decided to where it is drawn.
 * @param {GraphJson} graph
 * @param {Propagation} found
 * @param {Assignment} assignment
 * @param {Arrangement} arrangement
 * @param {Difference} difference
 * @param {readonly string[]} unfolded
 * @returns {Scene}
 */
export function sceneOf(graph, found, assignment, arrangement, difference, unfolded) {
  const names = found.nodes.map(({ name }) => name);
  // Frames around most of a drawing would show nothing.
  const framed = difference.most ? NO_DIFFERENCE : difference;
  const boxes = arrangement.vertices.map((vertex, at) => ({
    ...boxOf(vertex, graph, found, assignment, framed, names),
    at,
    kind: vertex.kind,
    name: vertex.name,
    first: vertex.first,
    last: vertex.first + vertex.period * vertex.repeats - 1,
    x: vertex.x,
    y: vertex.y,
    layer: vertex.layer,
    foldable: vertex.kind === 'fold' || (vertex.kind === 'node' && unfolded.includes(vertex.name)),
  }));
  /** @type {Set<string>} */
  const labelled = new Set();
  const lines = arrangement.edges.map((edge) => {
    const from = arrangement.vertices[edge.source];
    const placed =
      from.kind === 'reorder' ? assignment.copies[from.first]?.target : assignment.tensors.get(edge.tensor);
    const label = placed?.short ?? 'not known';
    // Two outputs of a node in one layout would have the same words at the same place.
    const key = `${edge.source} ${label}`;
    const first = !labelled.has(key);
    labelled.add(key);
    return {
      ...edge,
      kind: placed?.kind ?? 'unknown',
      label,
      labelled: first,
      changed: framed.tensors.has(edge.tensor),
      href: placed?.href ?? '',
    };
  });
  return { width: arrangement.width, height: arrangement.height, boxes, lines };
}

/** @param {Scene | null} scene @returns {boolean} whether it frames what differs */
export function frames(scene) {
  return scene !== null && [...scene.boxes, ...scene.lines].some(({ changed }) => changed);
}

/**
 * @param {Vertex} vertex
 * @param {GraphJson} graph
 * @param {Propagation} found
 * @param {Assignment} assignment
 * @param {Difference} difference
 * @param {readonly string[]} names
 * @returns {Pick<Box, 'width' | 'height' | 'title' | 'detail' | 'lost' | 'moves' | 'changed'>}
 */
function boxOf({ kind, name, first, period, repeats }, graph, found, assignment, difference, names) {
  const height = SIZES[kind];
  if (kind === 'input') {
    return {
      width: WIDTH - 28,
      height,
      title: name,
      detail: shapeText(found.tensors[name]?.shape),
      lost: '',
      moves: false,
      changed: difference.tensors.has(name),
    };
  }
  if (kind === 'reorder') {
    const { tensor, source, target, bytes, readers } = assignment.copies[first];
    return {
      width: WIDTH - 12,
      height,
      title: `${source.short} → ${target.short}`,
      detail: bytesText(bytes),
      lost: '',
      moves: false,
      changed: readers.length > 0 ? readers.some((each) => difference.nodes.has(each)) : difference.results.has(tensor),
    };
  }
  const count = period * repeats;
  const inside = names.slice(first, first + count);
  const lost = inside.flatMap((each) => assignment.lost.get(each) ?? []);
  const differs = (/** @type {number} */ at) =>
    difference.nodes.has(names[at]) || graph.nodes[at].outputs.some((each) => difference.tensors.has(each) || difference.results.has(each));
  const { op, outputs } = graph.nodes[first];
  const end = graph.nodes[first + count - 1];
  const block = commonName(inside) || `${op}…`;
  const title = kind === 'fold' ? `${cut(block, MOST_BLOCK)} ×${repeats}` : op;
  const result = kind === 'fold' ? end.outputs[0] : outputs[0];
  const fused = assignment.tensors.get(result)?.kind === 'absent';
  const own = new Set(inside);
  const copied = assignment.copies.filter(({ readers }) => readers.length > 0 && readers.every((each) => own.has(each)));
  const alike = copied.length % repeats === 0;
  const reorders = alike ? copied.length / repeats : copied.length;
  const contents =
    copied.length > 0
      ? `${reorders} reorder${reorders === 1 ? '' : 's'} ${alike ? 'each' : 'in all'}`
      : `${period} operators each`;
  const moved = inside.reduce((sum, each) => sum + (assignment.inside.get(each) ?? 0), 0);
  const shape = fused ? 'fused with next' : shapeText(found.tensors[result]?.shape);
  return {
    width: WIDTH,
    height: height + (lost.length > 0 ? LOST_LINE : kind === 'node' && title.length > MOST_LINE ? SECOND_LINE : 0),
    title,
    detail: moved > 0 ? `${bytesText(moved)} inside` : kind === 'fold' ? contents : shape,
    moves: moved > 0,
    lost: lost.length > 1 ? `${lost.length} layouts` : (lost[0] ?? ''),
    changed: inside.some((_, at) => differs(first + at)),
  };
}

/**
 * What the names of a block's nodes have in common, as exporters write them: "layer" for /bert/layer.0/add and
 * /bert/layer.1/add.
 * @param {readonly string[]} names
 * @returns {string} empty where there is nothing
 */
export function commonName(names) {
  const [first = [], ...others] = names.map((name) => name.split(/[./]/).slice(0, -1));
  const ends = first.findIndex((part, at) => others.some((parts) => parts[at] !== part));
  return first.slice(0, ends < 0 ? undefined : ends).findLast((part) => /[A-Za-z]/.test(part)) ?? '';
}

/**
 * The first box and the last one, by their layers.
 * @param {readonly Box[]} boxes at least one
 */
export function ends(boxes) {
  const [first, last] = [boxes.reduce((a, b) => (b.layer < a.layer ? b : a)), boxes.reduce((a, b) => (b.layer > a.layer ? b : a))];
  return { first, last };
}

/**
 * The box that one comes to from another by an arrow key: along the edges, or to a neighbour in its layer.
 * @param {Scene} scene
 * @param {Box} from
 * @param {'down' | 'up' | 'left' | 'right'} way
 * @returns {Box | null}
 */
export function neighbour(scene, from, way) {
  if (way === 'down' || way === 'up') {
    const ends = scene.lines.flatMap(({ source, target }) => {
      if (way === 'down') return source === from.at ? [target] : [];
      return target === from.at ? [source] : [];
    });
    const boxes = ends.map((at) => scene.boxes[at]);
    return least(boxes, (box) => Math.abs(box.layer - from.layer) * 1e6 + Math.abs(box.x - from.x));
  }
  const side = way === 'left' ? -1 : 1;
  const beside = scene.boxes.filter((box) => box.layer === from.layer && (box.x - from.x) * side > 0);
  return least(beside, (box) => Math.abs(box.x - from.x));
}

/**
 * @param {readonly Box[]} boxes
 * @param {(box: Box) => number} value
 * @returns {Box | null}
 */
function least(boxes, value) {
  return boxes.reduce(
    (/** @type {Box | null} */ best, box) => (best === null || value(box) < value(best) ? box : best),
    null,
  );
}
