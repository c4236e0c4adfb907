/** @typedef {import('../presets.js').PresetGroup} PresetGroup */

const PICTURE = '1,3,96,128';
const HUGE = '1000,1000,1000,1000';

/** @type {PresetGroup} */
export const PICTURES = {
  source: 'Pictures and large tensors',
  presets: [
    {
      name: 'Picture as NCHW',
      see: 'Three planes, red, green and blue, one after another.',
      a: { shape: PICTURE, layout: 'NCHW', dtype: 'uint8' },
      sample: 'balloon',
      trial: { say: 'Type NHWC as the layout.', done: { layout: 'NHWC' }, see: 'The three planes have become one picture in stripes.' },
    },
    {
      name: 'Picture as NHWC',
      see: 'One picture again, in stripes: red, green and blue of a pixel are neighbours.',
      a: { shape: PICTURE, layout: 'NHWC', dtype: 'uint8' },
      sample: 'balloon',
      trial: { say: 'Type NCHW4 as the layout.', done: { layout: 'NCHW4' }, see: 'A comb: after red, green and blue each fourth place is padding.' },
    },
    {
      name: 'Picture as NCHW4',
      see: 'A comb: after red, green and blue each fourth place is padding.',
      a: { shape: PICTURE, layout: 'NCHW4', dtype: 'uint8' },
      sample: 'balloon',
      trial: { say: 'Type NCHW as the layout.', done: { layout: 'NCHW' }, see: 'Planes, and a quarter less memory: 36 864 addresses instead of 49 152.' },
    },
    {
      name: '10¹² elements as NCHW',
      see: 'A million million elements open at once: only what is on screen is computed.',
      a: { shape: HUGE, layout: 'NCHW' },
      at: [0, 0, 2, 3],
      trial: { say: 'Type NHWC as the layout.', done: { layout: 'NHWC' }, see: 'The same cell, n 0, c 0, h 2, w 3, has moved from address 2003 to 2 003 000.' },
    },
    {
      name: '10¹² elements as NHWC',
      see: 'The same tensor, channels innermost.',
      a: { shape: HUGE, layout: 'NHWC' },
      at: [0, 0, 2, 3],
      trial: {
        say: 'Type NCHW32 as the layout.',
        done: { layout: 'NCHW32' },
        see: 'Blocks of 32: the last holds only eight of its channels, and the buffer grows to 1 024 000 000 000 addresses.',
      },
    },
    {
      name: '10¹² elements as NCHW4',
      see: 'The same tensor in blocks of four channels.',
      a: { shape: HUGE, layout: 'NCHW4' },
      at: [0, 0, 2, 3],
      trial: {
        say: 'Type int4 as the type.',
        done: { dtype: 'int4' },
        see: 'Four bits each: 500 000 000 000 bytes, an eighth of float32.',
      },
    },
  ],
};
