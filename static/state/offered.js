import { rowMajor } from '../api/dense-layout.js';

/** @import { TensorFields } from '../api/types.js' */
/** @import { ShownProblem } from './types.js' */
/** @typedef {{words: string, fields: Partial<TensorFields>}} Offer a way out of an error, by one press */

const SIZES = /^\s*\d+(\s*[,x×]\s*\d+)*\s*$/i;

/**
 * What may be meant where the shape and the layout differ in their number of sizes.
 * @param {string} name of the field that was typed into
 * @param {string} shape as it was typed
 * @param {readonly ShownProblem[]} problems of this field
 * @param {number | undefined} rank of the tensor on screen
 * @returns {Offer[]}
 */
export function offersFor(name, shape, problems, rank) {
  if (!SIZES.test(shape)) return [];
  const sizes = shape.split(/[,x×]/i).map((size) => size.trim());
  const layout = name === 'shape' && sizes.length !== rank ? rowMajor(sizes.length) : null;
  const wanted = problems.find((problem) => problem.sizes !== undefined)?.sizes ?? 0;
  const whole = [...Array(Math.max(0, wanted - sizes.length)).fill('1'), ...sizes].join(',');
  return [
    ...(layout === null ? [] : [{ words: `or take the layout ${layout}`, fields: { layout, dims: '' } }]),
    ...(wanted > sizes.length ? [{ words: `or take the shape ${whole}`, fields: { shape: whole } }] : []),
  ];
}
