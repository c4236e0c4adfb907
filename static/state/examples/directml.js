/** @typedef {import('../presets.js').PresetGroup} PresetGroup */

const WINDOWED = { shape: '1,1,4,4', layout: 'NCHW' };

/** @type {PresetGroup} */
export const DIRECTML_STRIDES = {
  source: 'DirectML: strides',
  presets: [
    {
      name: 'Row major 2 × 3',
      see: 'The letters lie in reading order: A B C D E F.',
      a: { shape: '2,3', layout: 'HW' },
      at: [1, 0],
      row: 6,
      trial: { say: 'Type WH as the layout.', done: { layout: 'WH' }, see: 'Now memory goes down the columns: A D B E C F.' },
    },
    {
      name: 'Column major 2 × 3',
      see: 'Going down a column is one step: A D B E C F, with strides 1 and 2.',
      a: { shape: '2,3', layout: 'WH' },
      at: [1, 0],
      row: 6,
      trial: { say: 'Type 1,2 as the layout.', done: { layout: '1,2' }, see: 'The same memory: WH is short for these two strides.' },
    },
    {
      name: 'DHW 2 × 2 × 3',
      see: 'H stands at 1·6 + 0·3 + 1·1 = 7.',
      a: { shape: '2,2,3', layout: 'DHW' },
      at: [1, 0, 1],
      row: 6,
      trial: {
        say: 'Type HWD as the layout.',
        done: { layout: 'HWD' },
        see: 'D is innermost: A and G are neighbours now, and H stands at 1·1 + 0·6 + 1·2 = 3.',
      },
    },
    {
      name: 'Broadcast rows',
      see: 'With stride 0 both rows are the same three elements, A B C: each address belongs to two of six.',
      a: { shape: '2,3', layout: '0,1' },
      at: [1, 1],
      trial: { say: 'Type 3,1 as the layout.', done: { layout: '3,1' }, see: 'Each row has its own memory now: six addresses, A B C D E F.' },
    },
    {
      name: 'Broadcast channels',
      see: 'C has stride 0: every channel shows the same six addresses, A B C D E F.',
      a: { shape: '1,3,2,3', layout: '6,0,3,1' },
      at: [0, 2, 1, 1],
      trial: {
        say: 'Type 1,4,2,3 as the shape.',
        done: { shape: '1,4,2,3' },
        see: 'A fourth channel, and still six addresses: A B C D E F. A broadcast needs no more memory.',
      },
    },
    {
      name: 'Rows with gaps',
      see: 'H steps by 5 where 3 would do: A B C x x D E F x x, and the two places after each row hold nothing.',
      a: { shape: '2,3', layout: '5,1', elements: '10' },
      at: [1, 0],
      row: 5,
      trial: {
        say: 'Type 4,1 as the layout.',
        done: { layout: '4,1' },
        see: 'D stands at 4: A B C x D E F x x x, one empty place after the first row and three at the end.',
      },
    },
    {
      name: 'Packed NCHW 1,1,3,5',
      see: 'Packed strides are 15, 15, 5, 1.',
      a: { shape: '1,1,3,5', layout: '15,15,5,1' },
      at: [0, 0, 1, 2],
      trial: { say: 'Type NCHW as the layout.', done: { layout: 'NCHW' }, see: 'The same strides, 15, 15, 5, 1: the name and the sizes are enough.' },
    },
    {
      name: 'Packed NHWC 1,1,3,5',
      see: 'Strides 15, 1, 5, 1: with one channel the addresses are the same, and both names fit.',
      a: { shape: '1,1,3,5', layout: '15,1,5,1' },
      at: [0, 0, 1, 2],
      trial: { say: 'Type NHWC as the layout.', done: { layout: 'NHWC' }, see: 'The same strides, 15, 1, 5, 1: with one channel, a step in C and a step in W are both 1.' },
    },
    {
      name: 'NHWC beside NCHW',
      see: 'The name alone gives the strides of both orders.',
      a: { shape: '1,1,3,5', layout: 'NCHW' },
      b: 'NHWC',
      at: [0, 0, 1, 2],
      trial: {
        say: 'Type 1,2,3,5 as the shape.',
        done: { shape: '1,2,3,5' },
        see: 'With two channels the orders differ: A keeps each plane together, B the two channels of each pixel.',
      },
    },
  ],
};

/** @type {PresetGroup} */
export const DIRECTML_SLICES = {
  source: 'DirectML: slices',
  presets: [
    {
      name: 'Every second, forwards',
      see: 'From 1 to 16 the window takes [[2, 4], [10, 12]].',
      a: { ...WINDOWED, slice: '0,0,0,1; 1,1,4,3; 1,1,2,2' },
      sample: 'count',
      row: 4,
      trial: {
        say: 'Type 0,0,0,0; 1,1,4,4; 1,1,2,2 as the slice.',
        done: { slice: '0,0,0,0; 1,1,4,4; 1,1,2,2' },
        see: 'The window begins at the first cell and takes [[1, 3], [9, 11]].',
      },
    },
    {
      name: 'Rows backwards',
      see: 'A negative stride begins at the window’s end: [[14, 16], [6, 8]].',
      a: { ...WINDOWED, slice: '0,0,0,1; 1,1,4,3; 1,1,-2,2' },
      sample: 'count',
      row: 4,
      trial: {
        say: 'Type 0,0,0,1; 1,1,4,3; 1,1,-2,-2 as the slice.',
        done: { slice: '0,0,0,1; 1,1,4,3; 1,1,-2,-2' },
        see: 'Both directions run backwards from the window’s last cell: [[16, 14], [8, 6]].',
      },
    },
    {
      name: 'The same as an index',
      see: 'NumPy’s spelling of the backward window: [[14, 16], [6, 8]].',
      a: { ...WINDOWED, slice: '..., ::-2, 1:4:2' },
      sample: 'count',
      row: 4,
      trial: {
        say: 'Type ..., ::2, 1:4:2 as the slice.',
        done: { slice: '..., ::2, 1:4:2' },
        see: 'Without the minus it is the forward window: [[2, 4], [10, 12]].',
      },
    },
  ],
};
