/** @typedef {import('../presets.js').PresetGroup} PresetGroup */

/** @type {PresetGroup} */
export const NOTATIONS = {
  source: 'Other notations',
  presets: [
    {
      name: 'CuTe: nested modes',
      see: 'Each mode of four is two of two: the addresses run in Morton order, tile within tile.',
      a: { shape: '4,4', layout: '((2,2),(2,2)):((1,4),(2,8))' },
      at: [2, 1],
      text: 'address',
      row: 4,
      trial: {
        say: 'Type (4,4):(1,4) as the layout.',
        done: { layout: '(4,4):(1,4)' },
        see: 'Plain column-major order: going down the first column the addresses are 0 1 2 3.',
      },
    },
    {
      name: 'CuTe: swizzle',
      see: 'Three bits of the row are XORed into the column: each column of the matrix meets all eight columns of memory, and so all its banks.',
      a: { shape: '8,8', layout: 'Sw<3,0,3> o 0 o (8,8):(8,1)' },
      at: [3, 2],
      row: 8,
      trial: {
        say: 'Type (8,8):(8,1) as the layout.',
        done: { layout: '(8,8):(8,1)' },
        see: 'Without the swizzle each column of the matrix stays in one column of memory.',
      },
    },
    {
      name: 'TVM: NCHW4n4c',
      see: 'Four channels of four images lie together: sixteen places per pixel, channels innermost.',
      a: { shape: '8,8,2,3', layout: 'NCHW4n4c' },
      at: [1, 2, 0, 0],
      row: 16,
      logical_css: 28,
      trial: {
        say: 'Type NCHW4c as the layout.',
        done: { layout: 'NCHW4c' },
        see: 'Only channels are in blocks now: four places per pixel, and the second image begins at 48 with 048.',
      },
    },
    {
      name: 'XLA: tiled',
      see: 'Tiles of 2 × 4 cover five rows of seven: the last tiles reach beyond the edge and are padded.',
      a: { shape: '5,7', layout: 'f32[5,7]{1,0:T(2,4)}' },
      at: [1, 5],
      row: 8,
      trial: {
        say: 'Type f32[5,7]{1,0} as the layout.',
        done: { layout: 'f32[5,7]{1,0}' },
        see: 'Without tiles the rows follow each other: 35 addresses and no padding.',
      },
    },
    {
      name: 'oneDNN: OIhw2i8o4i',
      see: 'I is split twice: four inputs, eight outputs, two groups of inputs; the order that int8 dot products read.',
      a: { shape: '8,8,2,2', layout: 'OIhw2i8o4i', dtype: 'int8' },
      at: [3, 5, 0, 0],
      row: 32,
      logical_css: 28,
      trial: {
        say: 'Type OIhw8o8i as the layout.',
        done: { layout: 'OIhw8o8i' },
        see: 'All eight inputs of an output are together now: 000 004 008 … 028, then the next output, 032.',
      },
    },
    {
      name: 'TensorRT: kCHW32',
      see: 'Forty channels take two vectors of 32: of the second only eight places are used.',
      a: { shape: '1,40,3,3', layout: 'kCHW32', dtype: 'int8' },
      at: [0, 33, 1, 1],
      row: 32,
      logical_css: 28,
      trial: { say: 'Type kCHW4 as the layout.', done: { layout: 'kCHW4' }, see: 'Ten vectors of four hold forty channels exactly: 360 addresses, no padding.' },
    },
    {
      name: 'cuDNN: NCHW_VECT_C',
      see: 'cuDNN counts strides in vectors of four channels: its 18, 9, 3, 1 are 72, 36, 12, 4 elements.',
      a: { shape: '2,8,3,3', layout: 'NCHW_VECT_C4 {18, 9, 3, 1}', dtype: 'int8' },
      at: [1, 5, 1, 1],
      row: 12,
      trial: {
        say: 'Type NCHW4 as the layout.',
        done: { layout: 'NCHW4' },
        see: 'The same memory: NCHW4 counts in elements, with strides 72, 36, 12 and 4.',
      },
    },
    {
      name: 'MegEngine: NCHW44 weights',
      see: 'Arm kernels read four outputs for each of four inputs: O and I are both split, outputs innermost.',
      a: { shape: '8,8,3,3', layout: 'weights NCHW44' },
      at: [1, 2, 0, 0],
      row: 16,
      logical_css: 28,
      trial: {
        say: 'Type weights NCHW44_DOT as the layout.',
        done: { layout: 'weights NCHW44_DOT' },
        see: 'For dot products the inputs are innermost: 000 009 018 027 are four inputs of one output.',
      },
    },
    {
      name: 'MLIR: affine map',
      see: 'Four results instead of two: tiles of 2 × 4, each of them contiguous.',
      a: { shape: '4,8', layout: 'affine_map<(d0, d1) -> (d0 floordiv 2, d1 floordiv 4, d0 mod 2, d1 mod 4)>' },
      at: [1, 5],
      row: 8,
      trial: {
        say: 'Type affine_map<(d0, d1) -> (d1, d0)> as the layout.',
        done: { layout: 'affine_map<(d0, d1) -> (d1, d0)>' },
        see: 'Two results in the other order: memory goes down the columns, 00 08 16 24.',
      },
    },
    {
      name: 'An index expression in C',
      see: 'The address as C computes it: the same memory as NCHW4, the last block padded.',
      a: { shape: '1,6,4,5', layout: 'n*160 + c/4*80 + h*20 + w*4 + c%4' },
      b: 'NCHW4',
      at: [0, 5, 1, 2],
      trial: {
        say: 'Type n*120 + c*20 + h*5 + w as the layout.',
        done: { layout: 'n*120 + c*20 + h*5 + w' },
        see: 'The address in NCHW: A has 120 addresses and no padding, B still 160.',
      },
    },
  ],
};
