/** @typedef {string} Page its name, such as explorer */

/**
 * Short answers of the palette: keys, and the words that the pages use.
 * @type {readonly {title: string, text: string, page?: Page}[]} page: the only one that has it
 */
export const HELP = Object.freeze([
  {
    page: 'explorer',
    title: 'Keys in a grid',
    text: 'Arrow keys move the cell. Home and End go to the ends of a row, with Ctrl to the first and last cell. Page Up and Page Down go by a plane or a screen. Plus, minus and 0 zoom. G goes to an address or a coordinate.',
  },
  { page: 'explorer', title: 'Keys of a walk', text: 'Space plays and pauses. Comma and period go one step back and forward.' },
  {
    page: 'reorder',
    title: 'Keys of a reorder',
    text: 'Space plays and pauses. Comma and period go one step back and forward. In a memory, arrow keys go to the step of the next address; plus, minus and 0 zoom.',
  },
  {
    page: 'network',
    title: 'Keys in the network',
    text: 'Down and Up follow the edges. Left and Right go to the neighbours in a layer. Enter unfolds a block. Plus, minus and 0 zoom.',
  },
  { title: 'Keys of this search', text: 'Ctrl K or ⌘ K opens it from anywhere. Up and Down choose, Enter opens, Escape closes.' },
  { title: 'What is a stride?', text: 'The distance in memory, counted in elements, between neighbours along a dimension.' },
  { title: 'What is an address?', text: 'A position in the buffer, counted in elements from 0. The address of an element is the offset plus the sum of index times stride.' },
  { title: 'What is padding?', text: 'Places that the layout keeps for whole blocks, but where no element lies. They are hatched.' },
  { title: 'What is a gap?', text: 'An address of the buffer that no coordinate leads to, as the strides 5, 1 leave two behind each row of 3. It is no padding.' },
  { title: 'What is a block, as the 4 of NCHW4?', text: 'A part of a dimension that lies innermost: four neighbouring channels of one pixel are next to each other in memory.' },
  { title: 'What is broadcast?', text: 'A stride of 0: all indices along the dimension share one address.' },
  { title: 'What does packed mean?', text: 'The buffer has as many addresses as there are elements, all different: no padding, no gap, nothing shared.' },
  { title: 'What is a swizzle?', text: 'Some bits of the address are changed by others (XOR), so that the cells of a column lie in different memory banks.' },
]);
