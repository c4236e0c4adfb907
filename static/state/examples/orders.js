/** @import { PresetGroup } from '../presets.js' */

/** @type {PresetGroup} JSON, because the server writes the example of a link into the page */
export const ORDERS = {
  "learn": "Orders",
  "presets": [
    {
      "title": "Row-major: one row after another",
      "lesson": "row-major",
      "source": "DirectML",
      "see": "The letters lie in reading order: A B C D E F.",
      "a": {"shape": "2,3", "layout": "HW"},
      "at": [1, 0],
      "row": 6,
      "trial": {
        "say": "Type WH as the layout.",
        "done": {"layout": "WH"},
        "see": "Memory goes down the columns: A D B E C F."
      }
    },
    {
      "title": "Column-major: one column after another",
      "lesson": "row-major",
      "source": "DirectML",
      "see": "Going down a column is one step in memory, going along a row is two: A D B E C F, with stride 1 for h and 2 for w.",
      "a": {"shape": "2,3", "layout": "WH"},
      "at": [1, 0],
      "row": 6,
      "trial": {
        "say": "Type 1,2 as the layout.",
        "done": {"layout": "1,2"},
        "see": "The same memory as WH, which is short for these two strides."
      }
    },
    {
      "title": "An address is a sum of steps",
      "lesson": "address",
      "source": "DirectML",
      "see": "H stands at 1·6 + 0·3 + 1·1 = 7.",
      "a": {"shape": "2,2,3", "layout": "DHW"},
      "at": [1, 0, 1],
      "row": 6,
      "trial": {
        "say": "Type HWD as the layout.",
        "done": {"layout": "HWD"},
        "see": "Dimension d is innermost: elements A and G are neighbours, and element H lies at 1·1 + 0·6 + 1·2 = 3."
      }
    },
    {
      "title": "Two indices become one address",
      "lesson": "row-major",
      "source": "MegEngine",
      "see": "a[0][0] to a[2][2] lie at the addresses 0 to 8: memory is one line, drawn here in rows of three.",
      "a": {"shape": "3,3", "layout": "HW"},
      "at": [1, 1],
      "text": "linear",
      "trial": {
        "say": "Type WH as the layout.",
        "done": {"layout": "WH"},
        "see": "Memory goes down the columns: 0 3 6 1 4 7 2 5 8."
      }
    },
    {
      "title": "Addresses count elements, memory counts bytes",
      "lesson": "bytes",
      "source": "MegEngine",
      "see": "x[1][2] is element 7: strides of 20 and 4 bytes lead to byte 28.",
      "a": {"shape": "2,5", "layout": "HW", "dtype": "int32"},
      "at": [1, 2],
      "text": "linear",
      "trial": {
        "say": "Type float64 as the type.",
        "done": {"dtype": "float64"},
        "see": "Element 7 is at address 7 and stands at byte 56: the strides are 40 and 8 bytes."
      }
    },
    {
      "title": "Packed strides follow from the sizes",
      "lesson": "strides",
      "source": "DirectML",
      "see": "Each stride is the product of the sizes to its right: 1 for w, 5 for h, 3·5 = 15 for c and 1·3·5 = 15 for n.",
      "a": {"shape": "1,1,3,5", "layout": "15,15,5,1"},
      "at": [0, 0, 1, 2],
      "trial": {
        "say": "Type NCHW as the layout.",
        "done": {"layout": "NCHW"},
        "see": "NCHW gives the strides 15, 15, 5, 1: the name and the sizes are enough."
      }
    },
    {
      "title": "One channel, two names",
      "lesson": "channels-last",
      "source": "DirectML",
      "see": "Strides 15, 1, 5, 1: with one channel the addresses are the same, and both names fit.",
      "a": {"shape": "1,1,3,5", "layout": "15,1,5,1"},
      "at": [0, 0, 1, 2],
      "trial": {
        "say": "Type NHWC as the layout.",
        "done": {"layout": "NHWC"},
        "see": "NHWC gives the strides 15, 1, 5, 1: with one channel, a step in C and a step in W are both 1."
      }
    },
    {
      "title": "Two orders of one tensor",
      "lesson": "strides",
      "source": "DirectML",
      "see": "A name and the sizes give the strides, in the order n, c, h, w: 15, 15, 5, 1 in A and 15, 1, 5, 1 in B.",
      "a": {"shape": "1,1,3,5", "layout": "NCHW"},
      "b": "NHWC",
      "at": [0, 0, 1, 2],
      "trial": {
        "say": "Type 1,2,3,5 as the shape.",
        "done": {"shape": "1,2,3,5"},
        "see": "With two channels the orders differ: A keeps each plane together, B the two channels of each pixel."
      }
    },
    {
      "title": "NCHW: each channel is a plane",
      "lesson": "nhwc",
      "source": "MegEngine",
      "see": "0000 to 1151 in order: each channel is a plane of nine, four planes to a row.",
      "a": {"shape": "2,64,3,3", "layout": "NCHW"},
      "at": [0, 1, 0, 0],
      "row": 36,
      "logical_css": 31,
      "trial": {
        "say": "Type NHWC as the layout.",
        "done": {"layout": "NHWC"},
        "see": "Channels come first: 0000 0009 0018 0027 …; after 64 of them, at address 64, the next pixel, 0001."
      }
    },
    {
      "title": "NHWC: the channels of a pixel are neighbours",
      "lesson": "nhwc",
      "source": "MegEngine",
      "see": "Channels come first in memory: 0000 0009 0018 …; two rows of 32 are one pixel, and the third row begins with the next one, 0001.",
      "a": {"shape": "2,64,3,3", "layout": "NHWC"},
      "at": [0, 1, 0, 0],
      "row": 32,
      "logical_css": 31,
      "trial": {
        "say": "Type NCHW as the layout.",
        "done": {"layout": "NCHW"},
        "see": "Each channel is together: 0000 to 0008, then channel 1 from 0009 on."
      }
    },
    {
      "title": "Contiguous: memory in logical order",
      "lesson": "transpose",
      "source": "PyTorch",
      "see": "Ten images of three planes: strides 3072, 1024, 32, 1. B has the same values in stripes.",
      "a": {"shape": "10,3,32,32", "layout": "NCHW"},
      "b": "NHWC",
      "at": [0, 1, 0, 0],
      "trial": {
        "say": "Type NHWC as the layout.",
        "done": {"layout": "NHWC"},
        "see": "Stripes in both: A and B are the same memory."
      }
    },
    {
      "title": "channels_last: the same shape, other strides",
      "lesson": "channels-last",
      "source": "PyTorch",
      "see": "The logical order stays N C H W, the strides are 3072, 1, 96, 3.",
      "a": {"shape": "10,3,32,32", "layout": "3072,1,96,3"},
      "at": [0, 1, 0, 0],
      "trial": {
        "say": "Type NCHW into the field “Compare”.",
        "done": {"b": "NCHW"},
        "see": "B keeps each plane together, A the three channels of each pixel: channel 1 begins at 1 in A, at 1024 in B."
      }
    },
    {
      "title": "A permutation can make channels_last unasked",
      "lesson": "channels-last",
      "source": "PyTorch",
      "see": "(10, 16, 16, 3).permute(0, 3, 1, 2) is channels_last, though nobody asked for it.",
      "a": {"shape": "10,3,16,16", "layout": "768,1,48,3"},
      "at": [0, 1, 0, 0],
      "trial": {
        "say": "Type 768,256,16,1 as the layout.",
        "done": {"layout": "768,256,16,1"},
        "see": "These strides are contiguous: three planes for each image, and channels_last says no."
      }
    },
    {
      "title": "Contiguous and channels_last at once",
      "lesson": "channels-last",
      "source": "PyTorch",
      "see": "With C of size 1 the strides satisfy contiguous and channels_last: the names tell why.",
      "a": {"shape": "2,1,4,4", "layout": "NCHW"},
      "b": "NHWC",
      "at": [1, 0, 0, 0],
      "trial": {
        "say": "Type 2,2,4,4 as the shape.",
        "done": {"shape": "2,2,4,4"},
        "see": "With two channels A is contiguous only, and B channels_last only."
      }
    }
  ]
};
