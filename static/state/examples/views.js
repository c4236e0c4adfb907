/** @import { PresetGroup } from '../presets.js' */

/** @type {PresetGroup} JSON, because the server writes the example of a link into the page */
export const VIEWS = {
  "learn": "Windows and views",
  "presets": [
    {
      "title": "Stride 0: one row is stored for all",
      "lesson": "broadcast",
      "source": "DirectML",
      "see": "With stride 0 both rows are the same three elements, A B C: each address belongs to two of six.",
      "a": {"shape": "2,3", "layout": "0,1"},
      "at": [1, 1],
      "trial": {
        "say": "Type 3,1 as the layout.",
        "done": {"layout": "3,1"},
        "see": "Each row has its own memory: six addresses, A B C D E F."
      }
    },
    {
      "title": "Stride 0: one channel is stored for all",
      "lesson": "broadcast",
      "source": "DirectML",
      "see": "C has stride 0: every channel shows the same six addresses, A B C D E F.",
      "a": {"shape": "1,3,2,3", "layout": "6,0,3,1"},
      "at": [0, 2, 1, 1],
      "trial": {
        "say": "Type 1,4,2,3 as the shape.",
        "done": {"shape": "1,4,2,3"},
        "see": "Four channels at six addresses: A B C D E F. A broadcast needs no more memory."
      }
    },
    {
      "title": "A larger stride leaves gaps",
      "lesson": "padding",
      "source": "DirectML",
      "see": "H steps by 5 where 3 would do: A B C x x D E F x x, and the two places after each row hold nothing.",
      "a": {"shape": "2,3", "layout": "5,1", "elements": "10"},
      "at": [1, 0],
      "row": 5,
      "trial": {
        "say": "Type 4,1 as the layout.",
        "done": {"layout": "4,1"},
        "see": "D stands at 4: A B C x D E F x x x, one empty place after the first row and three at the end."
      }
    },
    {
      "title": "A leading dimension is a stride",
      "lesson": "padding",
      "source": "oneDNN",
      "see": "A row of four steps by 6: strides LDA and 1, two empty places after each row.",
      "a": {"shape": "3,4", "layout": "6,1", "dims": "MN"},
      "at": [1, 0],
      "row": 6,
      "trial": {
        "say": "Type 4,1 as the layout.",
        "done": {"layout": "4,1"},
        "see": "With LDA 4 no place is empty: twelve addresses for A to L."
      }
    },
    {
      "title": "A transposition exchanges strides",
      "lesson": "transpose",
      "source": "oneDNN",
      "see": "Strides 1 and LDA: now the columns are contiguous, with two empty places after each.",
      "a": {"shape": "3,4", "layout": "1,5", "dims": "MN"},
      "at": [0, 1],
      "row": 5,
      "trial": {
        "say": "Type 1,3 as the layout.",
        "done": {"layout": "1,3"},
        "see": "With LDA 3 the columns follow each other: A E I B F J C G K D H L."
      }
    },
    {
      "title": "A window has an offset and the same strides",
      "lesson": "windows",
      "source": "oneDNN",
      "see": "A 2 × 3 window inside a 4 × 6 matrix keeps its strides and begins at offset 8.",
      "a": {"shape": "2,3", "layout": "6,1+8", "dims": "MN", "elements": "24"},
      "at": [0, 0],
      "row": 6,
      "trial": {
        "say": "Type 6,1+14 as the layout.",
        "done": {"layout": "6,1+14"},
        "see": "The window at offset 14 is one row lower than that at 8, with the same strides."
      }
    },
    {
      "title": "permute copies no element",
      "lesson": "transpose",
      "source": "PyTorch",
      "see": "No element moved: only the strides are in another order, 3072, 32, 1, 1024.",
      "a": {"shape": "10,32,32,3", "layout": "3072,32,1,1024", "dims": "NHWC"},
      "at": [0, 0, 0, 1],
      "trial": {
        "say": "Type 3072,96,3,1 as the layout.",
        "done": {"layout": "3072,96,3,1"},
        "see": "So it is after .contiguous(): the elements have moved, and the channels of a pixel are neighbours."
      }
    },
    {
      "title": "One image is a view at an offset",
      "lesson": "windows",
      "source": "PyTorch",
      "see": "The first image is a view at offset 0 with strides 1, 96, 3.",
      "a": {"shape": "10,3,32,32", "layout": "NHWC", "slice": "0"},
      "at": [0, 1, 0, 0],
      "trial": {
        "say": "Type 3 as the slice.",
        "done": {"slice": "3"},
        "see": "The fourth image is a view at offset 9216, with the strides 1, 96, 3 of every image."
      }
    },
    {
      "title": "The stride of a size of 1 does not count",
      "lesson": "channels-last",
      "source": "PyTorch",
      "see": "It stays channels_last: strides of size-1 dimensions do not count.",
      "a": {"shape": "1,3,32,32", "layout": "3072,1,96,3"},
      "at": [0, 1, 0, 0],
      "trial": {
        "say": "Type 7,1,96,3 as the layout.",
        "done": {"layout": "7,1,96,3"},
        "see": "This is channels_last too: N has one index, 0, so its stride is never used."
      }
    },
    {
      "title": "A chunk of the channels has holes",
      "lesson": "reshape",
      "source": "PyTorch",
      "see": "Two of four channels: contiguous in neither format, because the other two lie between the images.",
      "a": {"shape": "2,2,4,4", "layout": "64,16,4,1"},
      "at": [1, 0, 0, 0],
      "row": 16,
      "trial": {
        "say": "Type 2,4,4,4 as the shape.",
        "done": {"shape": "2,4,4,4"},
        "see": "With all four channels nothing lies between: the tensor is contiguous."
      }
    },
    {
      "title": "A slice takes every second cell",
      "lesson": "windows",
      "source": "DirectML",
      "see": "From 1 to 16 the window takes [[2, 4], [10, 12]].",
      "a": {"shape": "1,1,4,4", "layout": "NCHW", "slice": "0,0,0,1; 1,1,4,3; 1,1,2,2"},
      "sample": "count",
      "row": 4,
      "trial": {
        "say": "Type 0,0,0,0; 1,1,4,4; 1,1,2,2 as the slice.",
        "done": {"slice": "0,0,0,0; 1,1,4,4; 1,1,2,2"},
        "see": "The window begins at the first cell and takes [[1, 3], [9, 11]]."
      }
    },
    {
      "title": "A negative stride begins at the end",
      "lesson": "flip",
      "source": "DirectML",
      "see": "A negative stride begins at the window’s end: [[14, 16], [6, 8]].",
      "a": {"shape": "1,1,4,4", "layout": "NCHW", "slice": "0,0,0,1; 1,1,4,3; 1,1,-2,2"},
      "sample": "count",
      "row": 4,
      "trial": {
        "say": "Type 0,0,0,1; 1,1,4,3; 1,1,-2,-2 as the slice.",
        "done": {"slice": "0,0,0,1; 1,1,4,3; 1,1,-2,-2"},
        "see": "Both directions run backwards from the window’s last cell: [[16, 14], [8, 6]]."
      }
    },
    {
      "title": "The same window as an index",
      "lesson": "windows",
      "source": "DirectML",
      "see": "NumPy’s spelling of the backward window: [[14, 16], [6, 8]].",
      "a": {"shape": "1,1,4,4", "layout": "NCHW", "slice": "..., ::-2, 1:4:2"},
      "sample": "count",
      "row": 4,
      "trial": {
        "say": "Type ..., ::2, 1:4:2 as the slice.",
        "done": {"slice": "..., ::2, 1:4:2"},
        "see": "Without the minus it is the forward window: [[2, 4], [10, 12]]."
      }
    }
  ]
};
