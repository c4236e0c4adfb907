/** @typedef {import('../presets.js').PresetGroup} PresetGroup */

const BATCH = '10,3,32,32';

/** @type {PresetGroup} */
export const ONEDNN_MATRICES = {
  source: 'oneDNN: leading dimensions',
  presets: [
    {
      name: 'Matrix with LDA 6',
      see: 'A row of four steps by 6: strides LDA and 1, two empty places after each row.',
      a: { shape: '3,4', layout: '6,1', dims: 'MN' },
      at: [1, 0],
      row: 6,
      trial: { say: 'Type 4,1 as the layout.', done: { layout: '4,1' }, see: 'With LDA 4 no place is empty: twelve addresses for A to L.' },
    },
    {
      name: 'Transposed, LDA 5',
      see: 'Strides 1 and LDA: now the columns are contiguous, with two empty places after each.',
      a: { shape: '3,4', layout: '1,5', dims: 'MN' },
      at: [0, 1],
      row: 5,
      trial: { say: 'Type 1,3 as the layout.', done: { layout: '1,3' }, see: 'With LDA 3 the columns follow each other: A E I B F J C G K D H L.' },
    },
    {
      name: 'Submemory',
      see: 'A 2 × 3 window inside a 4 × 6 matrix keeps its strides and begins at offset 8.',
      a: { shape: '2,3', layout: '6,1+8', dims: 'MN', elements: '24' },
      at: [0, 0],
      row: 6,
      trial: { say: 'Type 6,1+14 as the layout.', done: { layout: '6,1+14' }, see: 'The window is one row lower: it begins at offset 14, with the same strides.' },
    },
  ],
};

/** @type {PresetGroup} */
export const PYTORCH = {
  source: 'PyTorch: memory formats',
  presets: [
    {
      name: 'contiguous',
      see: 'Ten images of three planes: strides 3072, 1024, 32, 1. B has the same values in stripes.',
      a: { shape: BATCH, layout: 'NCHW' },
      b: 'NHWC',
      at: [0, 1, 0, 0],
      trial: { say: 'Type NHWC as the layout.', done: { layout: 'NHWC' }, see: 'The planes have become stripes, and A and B are the same memory.' },
    },
    {
      name: 'channels_last',
      see: 'The logical order stays N C H W, the strides are 3072, 1, 96, 3.',
      a: { shape: BATCH, layout: '3072,1,96,3' },
      at: [0, 1, 0, 0],
      trial: {
        say: 'Type NCHW into the field “Compare with (B)”.',
        done: { b: 'NCHW' },
        see: 'B keeps each plane together, A the three channels of each pixel: channel 1 begins at 1 in A, at 1024 in B.',
      },
    },
    {
      name: 'permute(0, 2, 3, 1)',
      see: 'No element moved: only the strides are in another order, 3072, 32, 1, 1024.',
      a: { shape: '10,32,32,3', layout: '3072,32,1,1024', dims: 'NHWC' },
      at: [0, 0, 0, 1],
      trial: {
        say: 'Type 3072,96,3,1 as the layout.',
        done: { layout: '3072,96,3,1' },
        see: 'So it is after .contiguous(): the elements have moved, and the channels of a pixel are neighbours.',
      },
    },
    {
      name: 'x[0] of channels_last',
      see: 'The first image is a view at offset 0 with strides 1, 96, 3.',
      a: { shape: BATCH, layout: 'NHWC', slice: '0' },
      at: [0, 1, 0, 0],
      trial: { say: 'Type 3 as the slice.', done: { slice: '3' }, see: 'The fourth image is a view at offset 9216, with the same strides 1, 96, 3.' },
    },
    {
      name: 'x[0].unsqueeze(0)',
      see: 'It stays channels_last: strides of size-1 dimensions do not count.',
      a: { shape: '1,3,32,32', layout: '3072,1,96,3' },
      at: [0, 1, 0, 0],
      trial: {
        say: 'Type 7,1,96,3 as the layout.',
        done: { layout: '7,1,96,3' },
        see: 'Still channels_last: N has one index, 0, so its stride is never used.',
      },
    },
    {
      name: 'Chunk along channels',
      see: 'Two of four channels: contiguous in neither format, because the other two lie between the images.',
      a: { shape: '2,2,4,4', layout: '64,16,4,1' },
      at: [1, 0, 0, 0],
      row: 16,
      trial: { say: 'Type 2,4,4,4 as the shape.', done: { shape: '2,4,4,4' }, see: 'With all four channels nothing lies between: the tensor is contiguous.' },
    },
    {
      name: 'Permuted into channels_last',
      see: '(10, 16, 16, 3).permute(0, 3, 1, 2) is channels_last, though nobody asked for it.',
      a: { shape: '10,3,16,16', layout: '768,1,48,3' },
      at: [0, 1, 0, 0],
      trial: {
        say: 'Type 768,256,16,1 as the layout.',
        done: { layout: '768,256,16,1' },
        see: 'These strides are contiguous: three planes for each image, and channels_last says no.',
      },
    },
    {
      name: 'One channel: both at once',
      see: 'With C of size 1 the strides satisfy contiguous and channels_last: the names tell why.',
      a: { shape: '2,1,4,4', layout: 'NCHW' },
      b: 'NHWC',
      at: [1, 0, 0, 0],
      trial: {
        say: 'Type 2,2,4,4 as the shape.',
        done: { shape: '2,2,4,4' },
        see: 'With two channels A is contiguous only, and B channels_last only.',
      },
    },
    {
      name: 'nChw16c',
      see: 'Sizes n, c/16, h, w, 16: outer strides and an inner block of 16 channels. A row here is two pixels.',
      a: { shape: '2,32,4,4', layout: 'NCHW16' },
      at: [0, 17, 0, 0],
      row: 32,
      logical_css: 28,
      trial: {
        say: 'Type nChw8c as the layout.',
        done: { layout: 'nChw8c' },
        see: 'Blocks of eight: a row is four pixels, and the next block begins 128 places on.',
      },
    },
  ],
};
