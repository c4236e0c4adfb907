"""Words of tensors, their memory and their notations."""

from typing import Final

from .word import Word

MEMORY: Final = (
    # what a tensor is
    Word(
        "shape, size, sizes",
        "The sizes of a tensor, one for each dimension, in logical order. 2 × 3 is two rows of "
        "three.",
        "_ :w0 :w1 :w2/:h0 0A 0B 0C/:h1 0D 0E 0F",
        lesson="row-major",
    ),
    Word(
        "dims, dimension, dimensions",
        "The directions of a tensor, each with a letter: N images, C channels, H rows, W "
        "columns. Their order is logical; where the elements lie is another matter.",
        "_ :w0 :w1 :w2/:h0 0 0 0/:h1 0 0 0",
        lesson="nhwc",
    ),
    Word(
        "coordinate, coordinates",
        "One index for each dimension, counted from 0. It names an element, whatever its "
        "address is.",
        "_ :w0 :w1 :w2/:h0 0 0 0/:h1 0 0 01,2!",
        lesson="row-major",
    ),
    Word(
        "element, elements",
        "One number of the tensor. Its type says how many bytes it takes.",
        "0A 0B! 0C",
        lesson="bytes",
    ),
    Word(
        "plane, planes",
        "All elements of one channel of one image. In NCHW a plane is one stretch of memory.",
        "0 0 0 | 1 1 1 | 2 2 2",
        lesson="nhwc",
    ),
    Word(
        "pixel, pixels",
        "One place of the picture with all its channels. In NHWC these are neighbours in memory.",
        "0 1 2 | 0 1 2 | 0 1 2",
        lesson="nhwc",
    ),
    Word(
        "layout, layouts",
        "The rule that gives each element its address. The same tensor has other neighbours in "
        "each.",
        "00 01 02 13 14 15/00 13 01 14 02 15",
        lesson="nhwc",
    ),
    Word(
        "digit, digits, extent",
        "A part of an index: with blocks of 4, channel 5 is block 1, place 1. An extent is how "
        "many values the part has, and each part has a stride of its own.",
        "04 15! # #/:0 :1 :2 :3",
        lesson="nchw4",
    ),
    Word(
        "block number, ⌊c/4⌋",
        "⌊c/4⌋ is c divided by 4, rounded down: the number of the block that channel c lies in."
        " Channels 4 and 5 are in block 1.",
        "00 11 22 33 | 44 55! # #/:0 :0 :0 :0 | :1 :1",
        lesson="nchw4",
    ),
    Word(
        "place in the block, c mod 4",
        "c mod 4 is what is left of c after division by 4: the place of channel c in its block."
        " Channel 5 has place 1.",
        "00 11 22 33 | 44 55! # #/:0 :1 :2 :3 | :0 :1",
        lesson="nchw4",
    ),
    # where it lies
    Word(
        "address, addresses",
        "A position in the buffer, counted in elements from 0. The address of an element is the"
        " offset plus, for each dimension, its index times its stride.",
        ":0 :1 :2 :3 :4 :5/0A 0B 0C 0D 0E! 0F",
        lesson="address",
    ),
    Word(
        "stride, strides",
        "The distance in memory, in elements, between neighbours along a dimension. With stride"
        " 3 the next row begins three addresses on.",
        "0A 0B 0C 1D 1E 1F",
        "0>3 +3",
        lesson="strides",
    ),
    Word(
        "offset, offsets",
        "The address of the first element, whose indices are all 0. A window into a larger "
        "tensor has another offset and the same strides.",
        "- - 0A 0B - - 0C 0D",
        "0>2 +2",
        lesson="flip",
    ),
    Word(
        "buffer, buffers",
        "The memory that a tensor takes, from address 0 to its largest. It may be "
        "larger than the elements need.",
        ":0 :1 :2 :3 :4 :5 :6 :7/0A 0B 0C # 1D 1E 1F #",
        lesson="bytes",
    ),
    Word(
        "block, blocks, blocked",
        "Some neighbouring indices of a dimension that lie together, such as the four channels "
        "of NCHW4. Memory has the four channels of one pixel, then those of the next.",
        "00 10 20 30 | 01 11 21 31",
        lesson="nchw4",
    ),
    Word(
        "padding, padded",
        "Places that the layout keeps so that the last block is whole, and where no element "
        "lies. They are hatched; a reorder writes zeros there.",
        "04 15 # # | 04 15 # #",
        lesson="padding",
    ),
    Word(
        "gap, gaps",
        "An address that no element has because a stride is larger than needed. Strides 5, 1 "
        "leave two behind each row of 3.",
        "0A 0B 0C . . 1D 1E 1F . .",
        "0>5 +5",
        lesson="padding",
    ),
    Word(
        "physical shape, padded shape",
        "The sizes from outermost to innermost as memory has them; padded, each dimension is a "
        "whole number of blocks. Six channels in blocks of four are padded to eight.",
        "00 11 22 33/04 15 # #",
        lesson="padding",
    ),
    Word(
        "owner, owners",
        "What lies at an address: an element, several that share it, padding, or nothing. The "
        "grid of memory shows it for each address.",
        "0A 1B # .",
        lesson="address",
    ),
    Word(
        "shared, first owner, stored index",
        "Several elements have this address. It shows the first of them in logical order, and "
        "what is stored is counted once.",
        "0A!/:A+D",
        lesson="broadcast",
    ),
    Word(
        "packed",
        "As many addresses as elements, all different. No padding, no gap, nothing shared.",
        "0A 0B 0C 1D 1E 1F",
        lesson="bytes",
    ),
    Word(
        "broadcast",
        "A stride of 0: all indices along the dimension lead to the same address. Three rows "
        "look like three and are stored once.",
        "0A 0B 0C/0A 0B 0C/0A 0B 0C",
        lesson="broadcast",
    ),
    Word(
        "overlapping",
        "Two coordinates lead to the same address. Writing one element changes the other.",
        "0A 0B 1C! 1D 1E",
        "0>2 +2",
        lesson="broadcast",
    ),
    Word(
        "dense",
        "PyTorch’s word for elements that fill their memory without a hole or an overlap, in "
        "any order of the dimensions.",
        "0A 1D 0B 1E 0C 1F",
        lesson="channels-last",
    ),
    Word(
        "contiguous",
        "PyTorch’s word for memory in logical order: the last index moves fastest, and nothing "
        "lies between. contiguous() copies a tensor until it is.",
        "0A 0B 0C 1D 1E 1F",
        "0>1, 1>2, 2>3, 3>4, 4>5",
        lesson="transpose",
    ),
    Word(
        "channels_last, channels_last_3d",
        "PyTorch’s word for images with the channels innermost, as in NHWC, while the shape "
        "stays N, C, H, W. It reads the strides alone.",
        "0R 1G 2B | 0R 1G 2B",
        lesson="channels-last",
    ),
    Word(
        "swizzle, swizzles, XOR",
        "Some bits of the address are changed by others with an exclusive or (XOR). The cells "
        "of a column then lie in different banks of shared memory.",
        "00 11 22 33/11 00 33 22/22 33 00 11",
    ),
    # how it is written
    Word(
        "notation, notations, dialect",
        "A way to write a layout down: letters, strides, or the words of a library. The same "
        "layout has a text in most of them.",
        "-N -C -H -W | -4",
    ),
    Word(
        "order, orders, outermost, innermost",
        "Which dimension is outermost and which innermost, in memory or in loops. The innermost"
        " one has its neighbours at the next address.",
        "-N -H -W -C!",
        lesson="nhwc",
    ),
    Word(
        "reading, readings, spec",
        "What a text means before the sizes are known. A text that two libraries read "
        "differently has two readings.",
        "-a -c -d -b/:N :H :W :C",
    ),
    Word(
        "view, views",
        "Another shape or other strides over the same memory. No element is copied.",
        "0A 0B 0C 0D/0A 0C/0B 0D",
        lesson="transpose",
    ),
    Word(
        "window, slice, slices, cut",
        "A part of a tensor: from an index, in steps, to another. It is a view wherever one "
        "offset and one stride for each dimension can say it.",
        "- - - -/- 0A - 0B/- - - -/- 0C - 0D",
        lesson="windows",
    ),
)
