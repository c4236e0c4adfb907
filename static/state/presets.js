import { NO_VIEW } from './permalink.js';

/** @typedef {import('./types.js').PageState} PageState */
/** @typedef {import('../api/types.js').TensorFields} TensorFields */

/**
 * Fields of the page as they are after a trial. `b`: the layout to compare with; `at`: the selected cell.
 * @typedef {Partial<TensorFields> & {
 *   b?: string, at?: readonly number[], row?: number | 'line', text?: string, colour?: string, sample?: string,
 * }} TrialFields
 *
 * One thing to try on an example. Upper and lower case and blanks do not count when `done` is compared, and
 * a layout may be written in another notation.
 * @typedef {object} Trial
 * @property {string} say one sentence: what to do
 * @property {Readonly<TrialFields>} done the fields that it changes, as they are afterwards
 * @property {string} see one sentence: what there is to see then
 *
 * A worked example.
 * @typedef {object} Preset
 * @property {string} name
 * @property {string} see one sentence: what there is to see
 * @property {Partial<TensorFields> & {shape: string, layout: string}} a
 * @property {string} [b] layout to compare with
 * @property {readonly number[]} [at] the selected cell
 * @property {number | 'line'} [row]
 * @property {string} [sample]
 * @property {string} [text]
 * @property {Trial} [trial]
 *
 * @typedef {{source: string, presets: readonly Preset[]}} PresetGroup
 */

const FIGURE = '2,64,3,3';
const BATCH = '10,3,32,32';
const PICTURE = '1,3,96,128';
const HUGE = '1000,1000,1000,1000';

/** @type {readonly PresetGroup[]} every worked example of the source documents, then pictures and large tensors */
export const PRESET_GROUPS = Object.freeze([
  {
    source: 'Start here',
    presets: [
      {
        name: 'Six channels in blocks of four',
        see: 'Six channels lie in blocks of four: four neighbours in memory are one pixel of four channels, and the last block keeps two empty places, hatched.',
        a: { shape: '1,6,4,5', layout: 'NCHW4' },
        at: [0, 2, 1, 2],
        trial: {
          say: 'Type NHWC as the layout and watch the blocks become pixels.',
          done: { layout: 'NHWC' },
          see: 'Now the six channels of a pixel are neighbours, one pixel follows another, and no place is empty.',
        },
      },
    ],
  },
  {
    source: 'DirectML: strides',
    presets: [
      { name: 'Row major 2 × 3', see: 'The letters lie in reading order: A B C D E F.', a: { shape: '2,3', layout: 'HW' }, at: [1, 0], row: 6 },
      { name: 'Column major 2 × 3', see: 'Going down a column is one step: A D B E C F, with strides 1 and 2.', a: { shape: '2,3', layout: 'WH' }, at: [1, 0], row: 6 },
      { name: 'DHW 2 × 2 × 3', see: 'H stands at 1·6 + 0·3 + 1·1 = 7.', a: { shape: '2,2,3', layout: 'DHW' }, at: [1, 0, 1], row: 6 },
      { name: 'Broadcast rows', see: 'With stride 0 both rows are the same three elements: each address belongs to two of six.', a: { shape: '2,3', layout: '0,1' }, at: [1, 1] },
      { name: 'Broadcast channels', see: 'C has stride 0: every channel shows the same six addresses.', a: { shape: '1,3,2,3', layout: '6,0,3,1' }, at: [0, 2, 1, 1] },
      { name: 'Padded rows', see: 'H steps by 5 where 3 would do: A B C x x D E F x x, two places between the rows hold nothing.', a: { shape: '2,3', layout: '5,1', elements: '10' }, at: [1, 0], row: 5 },
      { name: 'Packed NCHW 1,1,3,5', see: 'Packed strides are 15, 15, 5, 1.', a: { shape: '1,1,3,5', layout: '15,15,5,1' }, at: [0, 0, 1, 2] },
      { name: 'Packed NHWC 1,1,3,5', see: 'Strides 15, 1, 5, 1: with one channel the addresses are the same, and both names fit.', a: { shape: '1,1,3,5', layout: '15,1,5,1' }, at: [0, 0, 1, 2] },
      { name: 'NHWC beside NCHW', see: 'The name alone gives the strides of both orders.', a: { shape: '1,1,3,5', layout: 'NCHW' }, b: 'NHWC', at: [0, 0, 1, 2] },
    ],
  },
  {
    source: 'MegEngine: formats',
    presets: [
      { name: 'int32 2 × 5', see: 'x[1][2] is element 7: strides of 20 and 4 bytes lead to byte 28.', a: { shape: '2,5', layout: 'HW', dtype: 'int32' }, at: [1, 2], text: 'linear' },
      { name: 'Row major 3 × 3', see: 'a[0][0] to a[2][2] are the offsets 0 to 8.', a: { shape: '3,3', layout: 'HW' }, at: [1, 1], text: 'linear' },
      { name: 'Figure: NCHW', see: '0000 to 1151 in order: each channel is a plane of nine.', a: { shape: FIGURE, layout: 'NCHW' }, at: [0, 1, 0, 0], row: 36 },
      { name: 'Figure: NHWC', see: 'Channels come first in memory: 0000, 0009, 0018 …; the next pixel begins after 64 of them.', a: { shape: FIGURE, layout: 'NHWC' }, at: [0, 1, 0, 0] },
      { name: 'Figure: NCHW4', see: '0000 0009 0018 0027 are one pixel of four channels; then comes the next pixel, 0001 0010 ….', a: { shape: FIGURE, layout: 'NCHW4', dtype: 'int8' }, at: [0, 1, 0, 0] },
      { name: 'Figure: NCHW32', see: 'The same with 32 channels together: the pieces that feed int8 tensor cores.', a: { shape: FIGURE, layout: 'NCHW32', dtype: 'int8' }, at: [0, 1, 0, 0] },
      { name: 'Figure: NCHW64', see: 'One block of 64 holds all channels: the same addresses as NHWC, here in int4, two to a byte.', a: { shape: FIGURE, layout: 'NCHW64', dtype: 'int4' }, b: 'NHWC', at: [0, 1, 0, 0] },
      { name: 'Figure: CHWN4', see: 'After 0000 0009 0018 0027 comes the second image, 0576 …; only then the next pixel.', a: { shape: FIGURE, layout: 'CHWN4', dtype: 'int8' }, at: [1, 0, 0, 0] },
    ],
  },
  {
    source: 'oneDNN: leading dimensions',
    presets: [
      { name: 'Matrix with LDA 6', see: 'A row of four steps by 6: strides LDA and 1, two places idle after each row.', a: { shape: '3,4', layout: '6,1', dims: 'MN' }, at: [1, 0], row: 6 },
      { name: 'Transposed, LDA 5', see: 'Strides 1 and LDA: now the columns are contiguous, with two idle places after each.', a: { shape: '3,4', layout: '1,5', dims: 'MN' }, at: [0, 1], row: 5 },
      { name: 'Submemory', see: 'A 2 × 3 window inside a 4 × 6 matrix keeps its strides and begins at offset 8.', a: { shape: '2,3', layout: '6,1+8', dims: 'MN', elements: '24' }, at: [0, 0], row: 6 },
    ],
  },
  {
    source: 'PyTorch: memory formats',
    presets: [
      { name: 'contiguous', see: 'Ten images of three planes: strides 3072, 1024, 32, 1.', a: { shape: BATCH, layout: 'NCHW' }, b: 'NHWC', at: [0, 1, 0, 0] },
      { name: 'channels_last', see: 'The logical order stays N C H W, the strides are 3072, 1, 96, 3.', a: { shape: BATCH, layout: '3072,1,96,3' }, at: [0, 1, 0, 0] },
      { name: 'permute(0, 2, 3, 1)', see: 'No element moved: only the strides are in another order, 3072, 32, 1, 1024.', a: { shape: '10,32,32,3', layout: '3072,32,1,1024', dims: 'NHWC' }, at: [0, 0, 0, 1] },
      { name: 'x[0] of channels_last', see: 'The first image is a view at offset 0 with strides 1, 96, 3.', a: { shape: BATCH, layout: 'NHWC', slice: '0' }, at: [0, 1, 0, 0] },
      { name: 'x[0].unsqueeze(0)', see: 'It stays channels_last: strides of size-1 dimensions do not count.', a: { shape: '1,3,32,32', layout: '3072,1,96,3' }, at: [0, 1, 0, 0] },
      { name: 'Chunk along channels', see: 'Two of four channels: contiguous in neither format, because the other two lie between the images.', a: { shape: '2,2,4,4', layout: '64,16,4,1' }, at: [1, 0, 0, 0], row: 16 },
      { name: 'Permuted into channels_last', see: '(10, 16, 16, 3).permute(0, 3, 1, 2) is channels_last, though nobody asked for it.', a: { shape: '10,3,16,16', layout: '768,1,48,3' }, at: [0, 1, 0, 0] },
      { name: 'One channel: both at once', see: 'With C of size 1 the strides satisfy contiguous and channels_last: the names tell why.', a: { shape: '2,1,4,4', layout: 'NCHW' }, b: 'NHWC', at: [1, 0, 0, 0] },
      { name: 'nChw16c', see: 'Sizes n, c/16, h, w, 16: outer strides and an inner block of 16 channels.', a: { shape: '2,32,4,4', layout: 'NCHW16' }, at: [0, 17, 0, 0] },
    ],
  },
  {
    source: 'DirectML: slices',
    presets: [
      { name: 'Every second, forwards', see: 'From 1 to 16 the window takes [[2, 4], [10, 12]].', a: { shape: '1,1,4,4', layout: 'NCHW', slice: '0,0,0,1; 1,1,4,3; 1,1,2,2' }, sample: 'count', row: 4 },
      { name: 'Rows backwards', see: 'A negative stride begins at the window’s end: [[14, 16], [6, 8]].', a: { shape: '1,1,4,4', layout: 'NCHW', slice: '0,0,0,1; 1,1,4,3; 1,1,-2,2' }, sample: 'count', row: 4 },
      { name: 'The same as an index', see: 'NumPy’s spelling of the backward window.', a: { shape: '1,1,4,4', layout: 'NCHW', slice: '..., ::-2, 1:4:2' }, sample: 'count', row: 4 },
    ],
  },
  {
    source: 'Other notations',
    presets: [
      { name: 'CuTe: nested modes', see: 'Each mode of four is two of two: the addresses run in Morton order, tile within tile.', a: { shape: '4,4', layout: '((2,2),(2,2)):((1,4),(2,8))' }, at: [2, 1], text: 'address', row: 4 },
      { name: 'CuTe: swizzle', see: 'Three bits of the row are XORed into the column: each column of the matrix meets all eight columns of memory, and so all its banks.', a: { shape: '8,8', layout: 'Sw<3,0,3> o 0 o (8,8):(8,1)' }, at: [3, 2], row: 8 },
      { name: 'TVM: NCHW4n4c', see: 'Four channels of four images lie together: sixteen places per pixel, channels innermost.', a: { shape: '8,8,2,3', layout: 'NCHW4n4c' }, at: [1, 2, 0, 0] },
      { name: 'XLA: tiled', see: 'Tiles of 2 × 4 cover five rows of seven: the last tiles reach beyond the edge and are padded.', a: { shape: '5,7', layout: 'f32[5,7]{1,0:T(2,4)}' }, at: [1, 5], row: 8 },
      { name: 'oneDNN: OIhw2i8o4i', see: 'I is split twice: four inputs, eight outputs, two groups of inputs; the order that int8 dot products read.', a: { shape: '8,8,2,2', layout: 'OIhw2i8o4i', dtype: 'int8' }, at: [3, 5, 0, 0], row: 32 },
      { name: 'TensorRT: kCHW32', see: 'Forty channels take two vectors of 32: of the second only eight places are used.', a: { shape: '1,40,3,3', layout: 'kCHW32', dtype: 'int8' }, at: [0, 33, 1, 1] },
      { name: 'cuDNN: NCHW_VECT_C', see: 'cuDNN counts strides in vectors of four channels: its 18, 9, 3, 1 are 72, 36, 12, 4 elements.', a: { shape: '2,8,3,3', layout: 'NCHW_VECT_C4 {18, 9, 3, 1}', dtype: 'int8' }, at: [1, 5, 1, 1] },
      { name: 'MegEngine: NCHW44 weights', see: 'Arm kernels read four outputs for each of four inputs: O and I are both split, outputs innermost.', a: { shape: '8,8,3,3', layout: 'weights NCHW44' }, at: [1, 2, 0, 0] },
      { name: 'MLIR: affine map', see: 'Four results instead of two: tiles of 2 × 4, each of them contiguous.', a: { shape: '4,8', layout: 'affine_map<(d0, d1) -> (d0 floordiv 2, d1 floordiv 4, d0 mod 2, d1 mod 4)>' }, at: [1, 5], row: 8 },
      { name: 'An index expression in C', see: 'The address as C computes it: the same memory as NCHW4, the last block padded.', a: { shape: '1,6,4,5', layout: 'n*160 + c/4*80 + h*20 + w*4 + c%4' }, b: 'NCHW4', at: [0, 5, 1, 2] },
    ],
  },
  {
    source: 'Pictures and large tensors',
    presets: [
      { name: 'Picture as NCHW', see: 'Three planes, red, green and blue, one after another.', a: { shape: PICTURE, layout: 'NCHW', dtype: 'uint8' }, sample: 'discs' },
      { name: 'Picture as NHWC', see: 'One picture again, in stripes: red, green and blue of a pixel are neighbours.', a: { shape: PICTURE, layout: 'NHWC', dtype: 'uint8' }, sample: 'discs' },
      { name: 'Picture as NCHW4', see: 'A comb: after red, green and blue each fourth place is padding.', a: { shape: PICTURE, layout: 'NCHW4', dtype: 'uint8' }, sample: 'discs' },
      { name: '10¹² elements as NCHW', see: 'A million million elements open at once: only what is on screen is computed.', a: { shape: HUGE, layout: 'NCHW' }, at: [0, 0, 2, 3] },
      { name: '10¹² elements as NHWC', see: 'The same tensor, channels innermost.', a: { shape: HUGE, layout: 'NHWC' }, at: [0, 0, 2, 3] },
      { name: '10¹² elements as NCHW4', see: 'The same tensor in blocks of four channels.', a: { shape: HUGE, layout: 'NCHW4' }, at: [0, 0, 2, 3] },
    ],
  },
]);

/** The first example that a visitor sees. */
export const FIRST = PRESET_GROUPS[0].presets[0];

/**
 * The whole state of an example.
 * @param {Preset} preset
 * @returns {PageState}
 */
export function stateOf({ a, b, at, row, sample, text }) {
  const fields = fieldsOf(a);
  return Object.freeze({
    a: fields,
    b: b === undefined ? null : Object.freeze({ ...fields, layout: b }),
    rowLength: row ?? 'auto',
    apart: false,
    view: NO_VIEW,
    selected: at ?? null,
    colour: 'auto',
    text: text ?? 'auto',
    sample: sample ?? '',
    tab: 'facts',
    side: 'a',
  });
}

/**
 * The example that the state shows, whatever cell is selected and however it is drawn.
 * @param {PageState} state
 * @returns {Preset | null}
 */
export function presetOf(state) {
  const presets = PRESET_GROUPS.flatMap((group) => group.presets);
  return (
    presets.find(
      (preset) =>
        JSON.stringify(fieldsOf(preset.a)) === JSON.stringify(fieldsOf(state.a)) &&
        preset.b === state.b?.layout &&
        (preset.sample ?? '') === state.sample,
    ) ?? null
  );
}

/** @param {Partial<TensorFields> & {shape: string, layout: string}} given */
function fieldsOf({ shape, layout, dtype = 'float32', dims = '', slice = '', elements = '' }) {
  return Object.freeze({ shape, layout, dtype, dims, slice, elements });
}
