/** @import { PresetGroup } from '../presets.js' */

/** @type {PresetGroup} JSON, because the server writes the example of a link into the page */
export const BLOCKS = {
  "learn": "Blocks and padding",
  "presets": [
    {
      "title": "NCHW4: four channels of a pixel together",
      "lesson": "nchw4",
      "source": "MegEngine",
      "see": "0000 0009 0018 0027 are one pixel of four channels; then comes the next pixel, 0001 0010 ….",
      "a": {"shape": "2,64,3,3", "layout": "NCHW4", "dtype": "int8"},
      "at": [0, 1, 0, 0],
      "row": 36,
      "logical_css": 31,
      "trial": {
        "say": "Type NCHW8 as the layout.",
        "done": {"layout": "NCHW8"},
        "see": "Eight channels are together, 0000 0009 0018 … 0063, before the next pixel, 0001, at address 8."
      }
    },
    {
      "title": "NCHW32: blocks that feed tensor cores",
      "lesson": "nchw4",
      "source": "MegEngine",
      "see": "The same with 32 channels together, a row here: 0000 … 0279, then the next pixel, 0001. These pieces feed int8 tensor cores.",
      "a": {"shape": "2,64,3,3", "layout": "NCHW32", "dtype": "int8"},
      "at": [0, 1, 0, 0],
      "row": 32,
      "logical_css": 31,
      "trial": {
        "say": "Type NCHW16 as the layout.",
        "done": {"layout": "NCHW16"},
        "see": "A row holds two pixels of 16 channels: 0000 … 0135, then 0001 … 0136."
      }
    },
    {
      "title": "One block of all channels is NHWC",
      "lesson": "nchw4",
      "source": "MegEngine",
      "see": "One block of 64 holds all channels: the same addresses as NHWC, here in int4, two to a byte. Pixel 0001 is at 64 in both.",
      "a": {"shape": "2,64,3,3", "layout": "NCHW64", "dtype": "int4"},
      "b": "NHWC",
      "at": [0, 1, 0, 0],
      "row": 16,
      "logical_css": 31,
      "trial": {
        "say": "Type NCHW32 as the layout.",
        "done": {"layout": "NCHW32"},
        "see": "Two blocks of 32: in A pixel 0001 is at address 32, in B it is at 64."
      }
    },
    {
      "title": "CHWN4: the images of a pixel together",
      "lesson": "chwn4",
      "source": "MegEngine",
      "see": "After 0000 0009 0018 0027 comes the second image, 0576 …, in another colour; only then the next pixel, 0001.",
      "a": {"shape": "2,64,3,3", "layout": "CHWN4", "dtype": "int8"},
      "at": [0, 0, 0, 0],
      "row": 24,
      "colour": "N",
      "logical_css": 31,
      "trial": {
        "say": "Click 0576 in memory, four places after 0000.",
        "done": {"at": [1, 0, 0, 0]},
        "see": "The second image adds only 1·4: both images of a pixel are side by side."
      }
    },
    {
      "title": "nChw16c: the name tells the block",
      "lesson": "nchw4",
      "source": "oneDNN",
      "see": "Sizes n, c/16, h, w, 16: outer strides and an inner block of 16 channels. A row here is two pixels.",
      "a": {"shape": "2,32,4,4", "layout": "NCHW16"},
      "at": [0, 17, 0, 0],
      "row": 32,
      "logical_css": 28,
      "trial": {
        "say": "Type nChw8c as the layout.",
        "done": {"layout": "nChw8c"},
        "see": "Blocks of eight: a row is four pixels, and the next block begins 128 places on."
      }
    },
    {
      "title": "A vector that is only partly used",
      "lesson": "padding",
      "source": "TensorRT",
      "see": "Forty channels take two vectors of 32: of the second only eight places are used.",
      "a": {"shape": "1,40,3,3", "layout": "kCHW32", "dtype": "int8"},
      "at": [0, 2, 1, 1],
      "row": 32,
      "logical_css": 28,
      "trial": {
        "say": "Type kCHW4 as the layout.",
        "done": {"layout": "kCHW4"},
        "see": "Ten vectors of four hold forty channels exactly: 360 addresses, no padding."
      }
    },
    {
      "title": "Strides may count vectors",
      "lesson": "nchw4",
      "source": "cuDNN",
      "see": "cuDNN counts strides in vectors of four channels: its 18, 9, 3, 1 are 72, 36, 12, 4 elements.",
      "a": {"shape": "2,8,3,3", "layout": "NCHW_VECT_C4 {18, 9, 3, 1}", "dtype": "int8"},
      "at": [1, 5, 1, 1],
      "row": 36,
      "trial": {
        "say": "Type NCHW4 as the layout.",
        "done": {"layout": "NCHW4"},
        "see": "The same memory as vectors of four: NCHW4 counts in elements, with strides 72, 36, 12 and 4."
      }
    },
    {
      "title": "Blocks of two dimensions at once",
      "lesson": "nchw4",
      "source": "TVM",
      "see": "Four channels of four images lie together: sixteen places per pixel, channels innermost.",
      "a": {"shape": "8,8,2,3", "layout": "NCHW4n4c"},
      "at": [1, 2, 0, 0],
      "row": 16,
      "logical_css": 28,
      "trial": {
        "say": "Type NCHW4c as the layout.",
        "done": {"layout": "NCHW4c"},
        "see": "Only channels are in blocks: four places per pixel, and the second image begins at 48 with 048."
      }
    },
    {
      "title": "A dimension that is split twice",
      "lesson": "chwn4",
      "source": "oneDNN, VNNI",
      "see": "I is split twice: four inputs, eight outputs, two groups of inputs; the order that int8 dot products read.",
      "a": {"shape": "8,8,2,2", "layout": "OIhw2i8o4i", "dtype": "int8"},
      "at": [3, 5, 0, 0],
      "row": 32,
      "logical_css": 28,
      "trial": {
        "say": "Type OIhw8o8i as the layout.",
        "done": {"layout": "OIhw8o8i"},
        "see": "All eight inputs of an output are together: 000 004 008 … 028, then the next output, 032."
      }
    },
    {
      "title": "Weights in blocks of outputs and inputs",
      "lesson": "nchw4",
      "source": "MegEngine",
      "see": "Arm kernels read four outputs for each of four inputs: O and I are both split, outputs innermost.",
      "a": {"shape": "8,8,3,3", "layout": "weights NCHW44"},
      "at": [1, 2, 0, 0],
      "row": 16,
      "logical_css": 28,
      "trial": {
        "say": "Type weights NCHW44_DOT as the layout.",
        "done": {"layout": "weights NCHW44_DOT"},
        "see": "For dot products the inputs are innermost: 000 009 018 027 are four inputs of one output."
      }
    },
    {
      "title": "Tiles reach beyond the edge",
      "lesson": "padding",
      "source": "XLA",
      "see": "Tiles of 2 × 4 cover five rows of seven: the last tiles reach beyond the edge and are padded.",
      "a": {"shape": "5,7", "layout": "f32[5,7]{1,0:T(2,4)}"},
      "at": [1, 5],
      "row": 8,
      "trial": {
        "say": "Type f32[5,7]{1,0} as the layout.",
        "done": {"layout": "f32[5,7]{1,0}"},
        "see": "Without tiles the rows follow each other: 35 addresses and no padding."
      }
    },
    {
      "title": "A map that makes tiles",
      "lesson": "nchw4",
      "source": "MLIR",
      "see": "Four results instead of two: tiles of 2 × 4, each of them contiguous.",
      "a": {"shape": "4,8", "layout": "affine_map<(d0, d1) -> (d0 floordiv 2, d1 floordiv 4, d0 mod 2, d1 mod 4)>"},
      "at": [1, 5],
      "row": 8,
      "trial": {
        "say": "Type affine_map<(d0, d1) -> (d1, d0)> as the layout.",
        "done": {"layout": "affine_map<(d0, d1) -> (d1, d0)>"},
        "see": "Two results in the other order: memory goes down the columns, 00 08 16 24."
      }
    },
    {
      "title": "Tiles within tiles: Morton order",
      "lesson": "nchw4",
      "source": "CuTe",
      "see": "Each mode of four is two of two: the addresses run in Morton order, tile within tile.",
      "a": {"shape": "4,4", "layout": "((2,2),(2,2)):((1,4),(2,8))"},
      "at": [2, 1],
      "text": "address",
      "row": 4,
      "trial": {
        "say": "Type (4,4):(1,4) as the layout.",
        "done": {"layout": "(4,4):(1,4)"},
        "see": "Plain column-major order: going down the first column the addresses are 0 1 2 3."
      }
    }
  ]
};
