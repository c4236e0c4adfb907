"""What the sentences of each example name: cells of the memory, before and after its trial."""

from dataclasses import dataclass, field
from typing import Literal

VACANT = "x"


@dataclass(frozen=True, slots=True)
class Named:
    """Labels that a sentence names, by the first address of each run of neighbours.

    ``x`` stands for an address without an element. ``says`` is one more text of the page.
    """

    runs: dict[int, str] = field(default_factory=dict)
    says: str = ""
    drawn: Literal["text", "texture"] = "text"


@dataclass(frozen=True, slots=True)
class Taught:
    """What an example names before its trial and after it, and the facts afterwards."""

    name: str
    before: Named
    after: Named
    strides: str
    addresses: int


def texture(says: str = "") -> Named:
    """A sentence about what a memory looks like from afar: no cell is named."""
    return Named(says=says, drawn="texture")


TAUGHT = [
    Taught(
        "Two grids in memory",
        Named({0: "A B C D E F", 12: "M", 18: "S"}, "12 [+] 4 [+] 2|c·12"),
        Named({0: "A M B N C O", 13: "S"}),
        "1 8 2",
        24,
    ),
    Taught(
        "One image: N, C, H, W",
        Named({0: "A B C D E F", 6: "G H I J K L", 12: "M", 16: "Q"}),
        Named({0: "A G M B H N", 14: "Q"}),
        "18 1 9 3",
        18,
    ),
    Taught(
        "Six channels in blocks of four",
        Named({0: "000 020 040 060", 80: "080 100 x x"}),
        Named({0: "000 020 040 060 080 100 001"}),
        "120 1 30 6",
        120,
    ),
    Taught(
        "Row-major: one row after another",
        Named({0: "A B C D E F"}),
        Named({0: "A D B E C F"}),
        "1 2",
        6,
    ),
    Taught(
        "Column-major: one column after another",
        Named({0: "A D B E C F"}),
        Named({0: "A D B E C F"}),
        "1 2",
        6,
    ),
    Taught(
        "An address is a sum of steps",
        Named({7: "H"}, "1·6 [+] 0·3 [+] 1·1"),
        Named({0: "A G", 3: "H"}, "1·1 [+] 0·6 [+] 1·2"),
        "1 6 2",
        12,
    ),
    Taught(
        "Stride 0: one row is stored for all",
        Named({0: "A B C"}, "shared by 2"),
        Named({0: "A B C D E F"}),
        "3 1",
        6,
    ),
    Taught(
        "Stride 0: one channel is stored for all",
        Named({0: "A B C D E F"}, "shared by 3"),
        Named({0: "A B C D E F"}, "shared by 4"),
        "6 0 3 1",
        6,
    ),
    Taught(
        "A larger stride leaves gaps",
        Named({0: "A B C x x D E F x x"}),
        Named({0: "A B C x D E F x x x"}),
        "4 1",
        10,
    ),
    Taught("Packed strides follow from the sizes", Named(), Named(), "15 15 5 1", 15),
    Taught("One channel, two names", Named(), Named(), "15 1 5 1", 15),
    Taught("Two orders of one tensor", Named(), Named({0: "00 01 02"}), "30 15 5 1", 30),
    Taught(
        "Addresses count elements, memory counts bytes",
        Named({7: "7"}, "byte 28"),
        Named({7: "7"}, "byte 56"),
        "5 1",
        10,
    ),
    Taught(
        "Two indices become one address",
        Named({0: "0 1 2 3 4 5 6 7 8"}),
        Named({0: "0 3 6 1 4 7 2 5 8"}),
        "1 3",
        9,
    ),
    Taught(
        "NCHW: each channel is a plane",
        Named({0: "0000 0001 0002", 9: "0009", 27: "0027"}),
        Named({0: "0000 0009 0018 0027", 64: "0001"}),
        "576 1 192 64",
        1152,
    ),
    Taught(
        "NHWC: the channels of a pixel are neighbours",
        Named({0: "0000 0009 0018", 64: "0001"}),
        Named({0: "0000", 8: "0008 0009"}),
        "576 9 3 1",
        1152,
    ),
    Taught(
        "NCHW4: four channels of a pixel together",
        Named({0: "0000 0009 0018 0027 0001 0010"}),
        Named({0: "0000 0009 0018", 7: "0063 0001"}),
        "576 72,1 24 8",
        1152,
    ),
    Taught(
        "NCHW32: blocks that feed tensor cores",
        Named({0: "0000", 31: "0279 0001"}),
        Named({0: "0000", 15: "0135 0001", 31: "0136"}),
        "576 144,1 48 16",
        1152,
    ),
    Taught(
        "One block of all channels is NHWC",
        Named({64: "0001"}, "upper half"),
        Named({32: "0001"}),
        "576 288,1 96 32",
        1152,
    ),
    Taught(
        "CHWN4: the images of a pixel together",
        Named({0: "0000 0009 0018 0027 0576", 8: "0001"}),
        Named({0: "0000", 4: "0576"}, "1·4"),
        "4 72,1 24 8",
        1152,
    ),
    Taught(
        "A leading dimension is a stride",
        Named({0: "A B C D x x E"}),
        Named({0: "A B C D E F G H I J K L"}),
        "4 1",
        12,
    ),
    Taught(
        "A transposition exchanges strides",
        Named({0: "A E I x x B"}),
        Named({0: "A E I B F J C G K D H L"}),
        "1 3",
        12,
    ),
    Taught(
        "A window has an offset and the same strides",
        Named({7: "x A B C x"}),
        Named({13: "x A B C x"}),
        "6 1",
        24,
    ),
    Taught("Contiguous: memory in logical order", texture(), texture(), "3072 1 96 3", 30720),
    Taught(
        "channels_last: the same shape, other strides",
        texture(),
        texture("B"),
        "3072 1 96 3",
        30720,
    ),
    Taught("permute copies no element", texture(), texture(), "3072 96 3 1", 30720),
    Taught(
        "One image is a view at an offset",
        texture("strides 1, 96, 3 from 0"),
        texture("strides 1, 96, 3 from 9\u202f216"),
        "3072 1 96 3",
        30720,
    ),
    Taught(
        "The stride of a size of 1 does not count",
        texture(),
        texture("channels_last[^_]*yes"),
        "7 1 96 3",
        3072,
    ),
    Taught(
        "A chunk of the channels has holes",
        Named({31: "31 x", 63: "x 32"}, "contiguous[^_]*no"),
        Named({31: "031 032", 63: "063 064"}, "contiguous[^_]*yes"),
        "64 16 4 1",
        128,
    ),
    Taught(
        "A permutation can make channels_last unasked",
        texture("channels_last[^_]*yes"),
        texture("channels_last[^_]*no"),
        "768 256 16 1",
        7680,
    ),
    Taught(
        "Contiguous and channels_last at once",
        Named(says="contiguous[^_]*yes\\s*channels_last[^_]*yes"),
        Named(says="contiguous[^_]*yes\\s*channels_last[^_]*no"),
        "32 16 4 1",
        64,
    ),
    Taught(
        "nChw16c: the name tells the block",
        Named({0: "0000", 15: "0240 0001", 31: "0241"}),
        Named({0: "0000", 8: "0001", 24: "0003", 128: "0128"}),
        "512 128,1 32 8",
        1024,
    ),
    Taught(
        "A slice takes every second cell",
        Named({1: "2", 3: "4", 9: "10", 11: "12"}, "1, 3, 9, 11"),
        Named({0: "1", 2: "3", 8: "9", 10: "11"}, "0, 2, 8, 10"),
        "16 16 4 1",
        16,
    ),
    Taught(
        "A negative stride begins at the end",
        Named({13: "14", 15: "16", 5: "6", 7: "8"}, "13, 15, 5, 7"),
        Named({15: "16", 13: "14", 7: "8", 5: "6"}, "15, 13, 7, 5"),
        "16 16 4 1",
        16,
    ),
    Taught(
        "The same window as an index",
        Named({13: "14", 15: "16", 5: "6", 7: "8"}, "13, 15, 5, 7"),
        Named({1: "2", 3: "4", 9: "10", 11: "12"}, "1, 3, 9, 11"),
        "16 16 4 1",
        16,
    ),
    Taught(
        "Tiles within tiles: Morton order",
        Named({0: "0 1 2 3 4 5"}),
        Named({0: "0 1 2 3"}),
        "1 4",
        16,
    ),
    Taught(
        "Rows as wide as the banks make a column wait",
        Named({0: "0000", 32: "0032"}),
        Named({0: "0000", 33: "0032"}),
        "33 1",
        1055,
    ),
    Taught(
        "A swizzle spreads a column over the banks",
        Named({0: "00", 9: "08", 18: "16"}),
        Named({0: "00", 8: "08", 16: "16"}),
        "8 1",
        64,
    ),
    Taught(
        "Blocks of two dimensions at once",
        Named({0: "000 006 012 018 048"}),
        Named({0: "000 006 012 018 001", 48: "048"}),
        "48 24,1 12 4",
        384,
    ),
    Taught(
        "Tiles reach beyond the edge",
        Named({0: "00 01 02 03 07", 15: "x"}),
        Named({0: "00", 6: "06 07", 34: "34"}),
        "7 1",
        35,
    ),
    Taught(
        "A dimension that is split twice",
        Named({0: "000 004 008 012 032", 32: "016"}),
        Named({0: "000 004 008 012 016 020 024 028 032"}),
        "8 1 128 64",
        256,
    ),
    Taught(
        "A vector that is only partly used",
        Named({0: "000", 31: "279", 288: "288", 295: "351 x"}),
        Named({0: "000 009 018 027 001"}),
        "360 36,1 12 4",
        360,
    ),
    Taught(
        "Strides may count vectors",
        Named({0: "000 009 018 027 001"}),
        Named({0: "000 009 018 027 001"}),
        "72 36,1 12 4",
        144,
    ),
    Taught(
        "Weights in blocks of outputs and inputs",
        Named({0: "000 072 144 216 009"}),
        Named({0: "000 009 018 027 072"}),
        "288,4 144,1 48 16",
        576,
    ),
    Taught(
        "A map that makes tiles",
        Named({0: "00 01 02 03 08"}),
        Named({0: "00 08 16 24 01"}),
        "1 4",
        32,
    ),
    Taught(
        "A layout can be an expression in C",
        Named({0: "000 020 040 060"}),
        Named({0: "000 001", 20: "020"}),
        "120 20 5 1",
        120,
    ),
    Taught("A picture as three planes", texture(), texture(), "36864 1 384 3", 36864),
    Taught("A picture in stripes", texture(), texture(), "49152 1 512 4", 49152),
    Taught("A picture as a comb", texture(), texture(), "36864 12288 128 1", 36864),
    Taught(
        "A million million elements open at once",
        texture("2\u202f003"),
        texture("2\u202f003\u202f000"),
        "1000000000 1 1000000 1000",
        10**12,
    ),
    Taught(
        "10¹² elements, channels innermost",
        texture(),
        texture("1\u202f024\u202f000\u202f000\u202f000"),
        "1024000000 32000000,1 32000 32",
        1024 * 10**9,
    ),
    Taught(
        "10¹² elements in blocks of four",
        texture(),
        texture("500\u202f000\u202f000\u202f000"),
        "1000000000 4000000,1 4000 4",
        10**12,
    ),
]
