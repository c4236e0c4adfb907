/** @import { PresetGroup } from '../presets.js' */

/** @type {PresetGroup} what a newcomer sees first; JSON, because the server writes the first one into the page */
export const START = {
  "learn": "Start here",
  "presets": [
    {
      "title": "Six channels in blocks of four",
      "lesson": "nchw4",
      "see": "Above, six channels. Below, memory: places numbered one after another, wrapped into rows. In blocks of four, the last one holds two channels and two empty places, hatched.",
      "a": {"shape": "1,6,4,5", "layout": "NCHW4"},
      "at": [0, 2, 1, 2],
      "trial": {
        "say": "Type NHWC as the layout.",
        "done": {"layout": "NHWC"},
        "see": "Now the six channels of a pixel are neighbours, one pixel follows another, and no place is empty."
      }
    },
    {
      "title": "A picture as planes, stripes and combs",
      "lesson": "nhwc",
      "see": "One picture, three memories: planes in NCHW, stripes in NHWC, combs in NCHW4. Open a picture of your own: it is drawn in the same way.",
      "a": {"shape": "1,3,96,128", "layout": "NHWC", "dtype": "uint8"},
      "sample": "balloon",
      "show": "memories",
      "trial": {
        "say": "Press “Explore NCHW4”.",
        "done": {"layout": "NCHW4"},
        "see": "These are all addresses of the comb: each fourth place is padding, hatched when you zoom in."
      }
    }
  ]
};
