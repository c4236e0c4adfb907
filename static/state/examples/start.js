/** @import { PresetGroup } from '../presets.js' */

/** @type {PresetGroup} what a newcomer sees first; JSON, because the server writes the first one into the page */
export const START = {
  "learn": "Start here",
  "presets": [
    {
      "title": "Two grids in memory",
      "lesson": "address",
      "see": "Two grids c of rows h and columns w. CHW stores grid after grid: before S lie 12 cells of a grid, 4 of a row and 2 more. So its place in memory, its address, is 18.",
      "a": {"shape": "2,3,4", "layout": "CHW"},
      "at": [1, 1, 2],
      "trial": {
        "say": "Type HWC as the layout.",
        "done": {"layout": "HWC"},
        "see": "Memory takes a letter of both grids in turn: A M B N C O. The order in memory does not change the grids."
      }
    },
    {
      "title": "One image: N, C, H, W",
      "lesson": "nhwc",
      "see": "N images, C channels, H rows, W columns; here one image of three channels. NCHW stores channel after channel, A to R in order: Q, in channel 2, is at address\u00a016.",
      "a": {"shape": "1,3,2,3", "layout": "NCHW"},
      "at": [0, 2, 1, 1],
      "row": 6,
      "trial": {
        "say": "Type NHWC as the layout.",
        "done": {"layout": "NHWC"},
        "see": "The three channels of a pixel are neighbours: A G M, then the next pixel, B H N. Q is at address\u00a014."
      }
    },
    {
      "title": "Six channels in blocks of four",
      "lesson": "nchw4",
      "see": "NCHW4 keeps channels in blocks of four; the second has two empty ones: 2 × 4 × 5 = 40 of 160 places hold nothing. Cell c\u00a02, h\u00a01, w\u00a02 has number 047, but address\u00a030.",
      "a": {"shape": "1,6,4,5", "layout": "NCHW4"},
      "at": [0, 2, 1, 2],
      "trial": {
        "say": "Type NHWC as the layout.",
        "done": {"layout": "NHWC"},
        "see": "All channels of a pixel are neighbours; none is empty."
      }
    },
    {
      "title": "A picture as planes, stripes and combs",
      "lesson": "nhwc",
      "see": "One picture: planes in NCHW, stripes in NHWC, combs in NCHW4: stripes with an empty place after each pixel. Drawn are 48\u00a0×\u00a036 pixels; Facts are of all 128\u00a0×\u00a096.",
      "a": {"shape": "1,3,96,128", "layout": "NHWC", "dtype": "uint8"},
      "sample": "balloon",
      "show": "memories",
      "trial": {
        "say": "Press “Explore NCHW4”.",
        "done": {"layout": "NCHW4"},
        "see": "These are all addresses of the comb: each fourth place is padding, hatched when you zoom in. You are through “Start here”: one tensor, several orders in memory."
      }
    }
  ]
};
