/** @typedef {import('../presets.js').PresetGroup} PresetGroup */

/** Two images of 64 channels, 3 × 3: the elements are 0000 to 1151. */
const FIGURE = '2,64,3,3';
/** So large that four figures can be read: the grid shows its first channels. */
const READABLE_CSS = 28;

/** @type {PresetGroup} */
export const MEGENGINE = {
  source: 'MegEngine: formats',
  presets: [
    {
      name: 'int32 2 × 5',
      see: 'x[1][2] is element 7: strides of 20 and 4 bytes lead to byte 28.',
      a: { shape: '2,5', layout: 'HW', dtype: 'int32' },
      at: [1, 2],
      text: 'linear',
      trial: {
        say: 'Type float64 as the type.',
        done: { dtype: 'float64' },
        see: 'Element 7 keeps its address and stands at byte 56: the strides are 40 and 8 bytes now.',
      },
    },
    {
      name: 'Row major 3 × 3',
      see: 'a[0][0] to a[2][2] are the offsets 0 to 8.',
      a: { shape: '3,3', layout: 'HW' },
      at: [1, 1],
      text: 'linear',
      trial: { say: 'Type WH as the layout.', done: { layout: 'WH' }, see: 'Memory goes down the columns: 0 3 6 1 4 7 2 5 8.' },
    },
    {
      name: 'Figure: NCHW',
      see: '0000 to 1151 in order: each channel is a plane of nine, four planes to a row.',
      a: { shape: FIGURE, layout: 'NCHW' },
      at: [0, 1, 0, 0],
      row: 36,
      logical_css: READABLE_CSS,
      trial: {
        say: 'Type NHWC as the layout.',
        done: { layout: 'NHWC' },
        see: 'Now channels come first: 0000 0009 0018 0027 …; after 64 of them, at address 64, the next pixel, 0001.',
      },
    },
    {
      name: 'Figure: NHWC',
      see: 'Channels come first in memory: 0000 0009 0018 …; two rows of 32 are one pixel, and the third row begins with the next one, 0001.',
      a: { shape: FIGURE, layout: 'NHWC' },
      at: [0, 1, 0, 0],
      row: 32,
      logical_css: READABLE_CSS,
      trial: {
        say: 'Type NCHW as the layout.',
        done: { layout: 'NCHW' },
        see: 'Each channel is together again: 0000 to 0008, then channel 1 from 0009 on.',
      },
    },
    {
      name: 'Figure: NCHW4',
      see: '0000 0009 0018 0027 are one pixel of four channels; then comes the next pixel, 0001 0010 ….',
      a: { shape: FIGURE, layout: 'NCHW4', dtype: 'int8' },
      at: [0, 1, 0, 0],
      row: 36,
      logical_css: READABLE_CSS,
      trial: {
        say: 'Type NCHW8 as the layout.',
        done: { layout: 'NCHW8' },
        see: 'Eight channels are together, 0000 0009 0018 … 0063, before the next pixel, 0001, at address 8.',
      },
    },
    {
      name: 'Figure: NCHW32',
      see: 'The same with 32 channels together, a row here: 0000 … 0279, then the next pixel, 0001. These pieces feed int8 tensor cores.',
      a: { shape: FIGURE, layout: 'NCHW32', dtype: 'int8' },
      at: [0, 1, 0, 0],
      row: 32,
      logical_css: READABLE_CSS,
      trial: {
        say: 'Type NCHW16 as the layout.',
        done: { layout: 'NCHW16' },
        see: 'A row holds two pixels of 16 channels: 0000 … 0135, then 0001 … 0136.',
      },
    },
    {
      name: 'Figure: NCHW64',
      see: 'One block of 64 holds all channels: the same addresses as NHWC, here in int4, two to a byte. Pixel 0001 is at 64 in both.',
      a: { shape: FIGURE, layout: 'NCHW64', dtype: 'int4' },
      b: 'NHWC',
      at: [0, 1, 0, 0],
      row: 16,
      logical_css: READABLE_CSS,
      trial: {
        say: 'Type NCHW32 as the layout.',
        done: { layout: 'NCHW32' },
        see: 'Two blocks of 32 now: in A pixel 0001 is at address 32, in B it is at 64.',
      },
    },
    {
      name: 'Figure: CHWN4',
      see: 'After 0000 0009 0018 0027 comes the second image, 0576 …, in another colour; only then the next pixel, 0001.',
      a: { shape: FIGURE, layout: 'CHWN4', dtype: 'int8' },
      at: [0, 0, 0, 0],
      row: 24,
      colour: 'N',
      logical_css: READABLE_CSS,
      trial: {
        say: 'Click 0576 in memory, four places after 0000.',
        done: { at: [1, 0, 0, 0] },
        see: 'The second image adds only 1·4: both images of a pixel are side by side.',
      },
    },
  ],
};
