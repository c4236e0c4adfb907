/** @import { PresetGroup } from '../presets.js' */

/** @type {PresetGroup} JSON, because the server writes the example of a link into the page */
export const OWN = {
  "learn": "Your own",
  "presets": [
    {
      "title": "A layout can be an expression in C",
      "lesson": "nchw4",
      "source": "C",
      "see": "The address as C computes it: the same memory as NCHW4, the last block padded.",
      "a": {"shape": "1,6,4,5", "layout": "n*160 + c/4*80 + h*20 + w*4 + c%4"},
      "b": "NCHW4",
      "at": [0, 5, 1, 2],
      "trial": {
        "say": "Type n*120 + c*20 + h*5 + w as the layout.",
        "done": {"layout": "n*120 + c*20 + h*5 + w"},
        "see": "The address in NCHW: A has 120 addresses and no padding, B has 160."
      }
    },
    {
      "title": "A picture as three planes",
      "lesson": "nhwc",
      "see": "Three planes, red, green and blue, one after another.",
      "a": {"shape": "1,3,96,128", "layout": "NCHW", "dtype": "uint8"},
      "sample": "balloon",
      "trial": {
        "say": "Type NHWC as the layout.",
        "done": {"layout": "NHWC"},
        "see": "One picture in stripes, made of the three planes."
      }
    },
    {
      "title": "A picture in stripes",
      "lesson": "nhwc",
      "see": "One picture again, in stripes: red, green and blue of a pixel are neighbours.",
      "a": {"shape": "1,3,96,128", "layout": "NHWC", "dtype": "uint8"},
      "sample": "balloon",
      "trial": {
        "say": "Type NCHW4 as the layout.",
        "done": {"layout": "NCHW4"},
        "see": "A comb: after red, green and blue each fourth place is padding."
      }
    },
    {
      "title": "A picture as a comb",
      "lesson": "nchw4",
      "see": "A comb: after red, green and blue each fourth place is padding.",
      "a": {"shape": "1,3,96,128", "layout": "NCHW4", "dtype": "uint8"},
      "sample": "balloon",
      "trial": {
        "say": "Type NCHW as the layout.",
        "done": {"layout": "NCHW"},
        "see": "Planes take a quarter less memory than the comb: 36 864 addresses instead of 49 152."
      }
    },
    {
      "title": "A million million elements open at once",
      "lesson": "strides",
      "see": "A million million elements open at once: only what is on screen is computed.",
      "a": {"shape": "1000,1000,1000,1000", "layout": "NCHW"},
      "at": [0, 0, 2, 3],
      "trial": {
        "say": "Type NHWC as the layout.",
        "done": {"layout": "NHWC"},
        "see": "The cell n 0, c 0, h 2, w 3 is at address 2 003 000, and at 2003 in NCHW."
      }
    },
    {
      "title": "10¹² elements, channels innermost",
      "lesson": "nhwc",
      "see": "The same tensor, channels innermost.",
      "a": {"shape": "1000,1000,1000,1000", "layout": "NHWC"},
      "at": [0, 0, 2, 3],
      "trial": {
        "say": "Type NCHW32 as the layout.",
        "done": {"layout": "NCHW32"},
        "see": "Blocks of 32: the last holds only eight of its channels, and the buffer takes 1 024 000 000 000 addresses."
      }
    },
    {
      "title": "10¹² elements in blocks of four",
      "lesson": "nchw4",
      "see": "The same tensor in blocks of four channels.",
      "a": {"shape": "1000,1000,1000,1000", "layout": "NCHW4"},
      "at": [0, 0, 2, 3],
      "trial": {
        "say": "Type int4 as the type.",
        "done": {"dtype": "int4"},
        "see": "Four bits each: 500 000 000 000 bytes, an eighth of float32."
      }
    }
  ]
};
