/**
 * A picture of three channels in three layouts, each as a memory: NCHW (planes), NHWC (stripes) and
 * NCHW4 (combs).
 *
 * @typedef {object} SmallPicture
 * @property {number} width
 * @property {number} height
 * @property {Uint8Array} planes red, green and blue, row-major
 *
 * @typedef {'NCHW' | 'NHWC' | 'NCHW4'} PictureLayout
 *
 * @typedef {object} PictureMemory
 * @property {PictureLayout} layout
 * @property {string} face what the memory looks like from afar
 * @property {number} places of a pixel that are neighbours
 * @property {(size: {width: number, height: number}) => {numbers: string, letters: string}} formula the address, without "address ="
 * @property {(size: {width: number, height: number}, channel: number, row: number, column: number) => number} addressOf channel 3 is NCHW4's padding
 */

/** @type {readonly PictureMemory[]} */
export const PICTURE_MEMORIES = Object.freeze([
  {
    layout: 'NCHW',
    face: 'planes',
    places: 1,
    formula: ({ width, height }) => ({ numbers: `c·${width * height} + h·${width} + w`, letters: 'c·H·W + h·W + w' }),
    addressOf: ({ width, height }, channel, row, column) => (channel * height + row) * width + column,
  },
  {
    layout: 'NHWC',
    face: 'stripes',
    places: 3,
    formula: ({ width }) => ({ numbers: `h·${3 * width} + w·3 + c`, letters: 'h·W·C + w·C + c' }),
    addressOf: ({ width }, channel, row, column) => (row * width + column) * 3 + channel,
  },
  {
    layout: 'NCHW4',
    face: 'combs',
    places: 4,
    formula: ({ width }) => ({ numbers: `h·${4 * width} + w·4 + c`, letters: '⌊c/4⌋·H·W·4 + h·W·4 + w·4 + c mod 4' }),
    addressOf: ({ width }, channel, row, column) => (row * width + column) * 4 + channel,
  },
]);

/**
 * The picture, small enough that its pixels can be told apart: each is the mean of those it stands for.
 * @param {ArrayLike<number | bigint>} values planes of red, green and blue, row-major
 * @param {number} width
 * @param {number} height
 * @param {number} most width and height
 * @returns {SmallPicture}
 */
export function smallPicture(values, width, height, most) {
  const scale = Math.max(1, width / most, height / most);
  const small = { width: Math.max(1, Math.round(width / scale)), height: Math.max(1, Math.round(height / scale)) };
  const planes = new Uint8Array(3 * small.width * small.height);
  for (let at = 0; at < planes.length; at += 1) {
    const x = at % small.width;
    const y = Math.floor(at / small.width) % small.height;
    const channel = Math.floor(at / (small.width * small.height));
    const [left, right] = span(x, small.width, width);
    const [top, bottom] = span(y, small.height, height);
    let sum = 0;
    for (let row = top; row < bottom; row += 1) {
      for (let column = left; column < right; column += 1) sum += Number(values[(channel * height + row) * width + column]);
    }
    planes[at] = Math.round(sum / ((right - left) * (bottom - top)));
  }
  return { ...small, planes };
}

/**
 * @param {number} at
 * @param {number} few
 * @param {number} many
 * @returns {[number, number]} the first, and the one after the last
 */
function span(at, few, many) {
  const first = Math.floor((at * many) / few);
  return [first, Math.max(first + 1, Math.floor(((at + 1) * many) / few))];
}
