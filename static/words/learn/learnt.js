/** What each lesson taught, in a sentence that is said when its last question is right, by its id. @type {Readonly<Record<string, string>>} */
export const LEARNT = Object.freeze({
  'address': 'Each cell has a place in memory, and the number of that place is its address.',
  'row-major': 'An address counts the cells before it: whole images, grids and rows, then those of its own row.',
  'strides': 'A stride says how many places one step skips; the last letter of a layout has stride 1.',
  'bytes': 'An address counts elements; times the bytes of one element it counts bytes.',
  'nhwc': 'NCHW keeps each channel together, NHWC the channels of each pixel.',
  'broadcast': 'With stride 0 a step stays where it is, so that one stored row serves as many.',
  'transpose': 'A view moves nothing: each dimension takes its stride along.',
  'flip': 'A negative stride goes backwards, from an offset at the other end.',
  'reshape': 'A reshape is a view as long as each new dimension has one stride.',
  'padding': 'Memory can hold more places than elements: gaps behind rows, and padding in a block that is not full.',
  'nchw4': 'NCHW4 keeps four channels of a pixel together, pixel after pixel, block after block.',
  'chwn4': 'The letters of CHWN4 go from the outside to the inside, and its number is the innermost block.',
  'windows': 'A slice reads where chosen rows and columns cross, from a start, to an end, by a step.',
  'cache-lines': 'Memory comes in lines of 64 bytes, so elements that lie together cost less.',
  'reorders': 'A reorder reads each element once and writes the whole target, with its padding.',
  'channels-last': 'Some operators keep channels_last, others lose it, and getting it back costs a copy.',
});

/**
 * What is said when the last question of a lesson is right: what it taught, or which of its questions are open.
 * @param {string} id
 * @param {readonly number[]} open
 * @returns {[string, string]} its beginning, which is strong, and the rest
 */
export function endOf(id, open) {
  if (open.length > 0) return ['Still open in this lesson: ', `question ${open.join(' and ')}.`];
  return ['✓ Lesson done. ', LEARNT[id] ?? ''];
}
