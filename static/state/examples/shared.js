/** @import { PresetGroup } from '../presets.js' */

/** @type {PresetGroup} JSON, because the server writes the example of a link into the page */
export const SHARED = {
  "learn": "Shared memory, swizzles",
  "presets": [
    {
      "title": "Rows as wide as the banks make a column wait",
      "lesson": "cache-lines",
      "source": "CUDA",
      "see": "Coloured by bank: a row is 32 words wide, so all cells of a column lie in one bank, and a warp that reads it takes 32 passes: a 32-way conflict.",
      "a": {"shape": "32,32", "layout": "32,1", "dims": "HW"},
      "at": [1, 0],
      "row": 32,
      "colour": "@bank",
      "trial": {
        "say": "Type 33,1 as the layout.",
        "done": {"layout": "33,1"},
        "see": "One gap behind each row moves the next row by one bank: a column meets all 32 banks."
      }
    },
    {
      "title": "A swizzle spreads a column over the banks",
      "lesson": "cache-lines",
      "source": "CuTe",
      "see": "Three bits of the row are XORed into the column: each column of the matrix meets all eight columns of memory, and so all its banks.",
      "a": {"shape": "8,8", "layout": "Sw<3,0,3> o 0 o (8,8):(8,1)"},
      "at": [3, 2],
      "row": 8,
      "trial": {
        "say": "Type (8,8):(8,1) as the layout.",
        "done": {"layout": "(8,8):(8,1)"},
        "see": "Without the swizzle each column of the matrix stays in one column of memory."
      }
    }
  ]
};
