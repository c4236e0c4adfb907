"""What the sentences of each example name: cells of the memory, before and after its trial."""

from dataclasses import dataclass, field
from typing import Final, Literal

VACANT = "x"


@dataclass(frozen=True, slots=True)
class Named:
    """Labels that a sentence names, by the first address of each run of neighbours.

    ``x`` stands for an address without an element. ``says`` is one more text of the page. A
    sentence about what a memory looks like from afar, its texture, names no cell.
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


# By name: what is named before and after (``=``: the same), and strides/addresses afterwards.
# Before what is said stand the runs, or ``~`` for a texture.
_ROWS: Final = {
    "Two grids in memory": (
        "0=A B C D E F, 12=M, 18=S says 12 [+] 4 [+] 2|c·12",
        "0=A M B N C O, 13=S",
        "1 8 2/24",
    ),
    "One image: N, C, H, W": (
        "0=A B C D E F, 6=G H I J K L, 12=M, 16=Q",
        "0=A G M B H N, 14=Q",
        "18 1 9 3/18",
    ),
    "Six channels in blocks of four": (
        "0=000 020 040 060, 80=080 100 x x",
        "0=000 020 040 060 080 100 001",
        "120 1 30 6/120",
    ),
    "Row-major: one row after another": ("0=A B C D E F", "0=A D B E C F", "1 2/6"),
    "Column-major: one column after another": ("0=A D B E C F", "=", "1 2/6"),
    "An address is a sum of steps": (
        "7=H says 1·6 [+] 0·3 [+] 1·1",
        "0=A G, 3=H says 1·1 [+] 0·6 [+] 1·2",
        "1 6 2/12",
    ),
    "Stride 0: one row is stored for all": ("0=A B C says shared by 2", "0=A B C D E F", "3 1/6"),
    "Stride 0: one channel is stored for all": (
        "0=A B C D E F says shared by 3",
        "0=A B C D E F says shared by 4",
        "6 0 3 1/6",
    ),
    "A larger stride leaves gaps": ("0=A B C x x D E F x x", "0=A B C x D E F x x x", "4 1/10"),
    "Packed strides follow from the sizes": ("", "=", "15 15 5 1/15"),
    "One channel, two names": ("", "=", "15 1 5 1/15"),
    "Two orders of one tensor": ("", "0=00 01 02", "30 15 5 1/30"),
    "Addresses count elements, memory counts bytes": (
        "7=7 says byte 28",
        "7=7 says byte 56",
        "5 1/10",
    ),
    "Two indices become one address": ("0=0 1 2 3 4 5 6 7 8", "0=0 3 6 1 4 7 2 5 8", "1 3/9"),
    "NCHW: each channel is a plane": (
        "0=0000 0001 0002, 9=0009, 27=0027",
        "0=0000 0009 0018 0027, 64=0001",
        "576 1 192 64/1152",
    ),
    "NHWC: the channels of a pixel are neighbours": (
        "0=0000 0009 0018, 64=0001",
        "0=0000, 8=0008 0009",
        "576 9 3 1/1152",
    ),
    "NCHW4: four channels of a pixel together": (
        "0=0000 0009 0018 0027 0001 0010",
        "0=0000 0009 0018, 7=0063 0001",
        "576 72,1 24 8/1152",
    ),
    "NCHW32: blocks that feed tensor cores": (
        "0=0000, 31=0279 0001",
        "0=0000, 15=0135 0001, 31=0136",
        "576 144,1 48 16/1152",
    ),
    "One block of all channels is NHWC": (
        "64=0001 says upper half",
        "32=0001",
        "576 288,1 96 32/1152",
    ),
    "CHWN4: the images of a pixel together": (
        "0=0000 0009 0018 0027 0576, 8=0001",
        "0=0000, 4=0576 says 1·4",
        "4 72,1 24 8/1152",
    ),
    "A leading dimension is a stride": ("0=A B C D x x E", "0=A B C D E F G H I J K L", "4 1/12"),
    "A transposition exchanges strides": ("0=A E I x x B", "0=A E I B F J C G K D H L", "1 3/12"),
    "A window has an offset and the same strides": ("7=x A B C x", "13=x A B C x", "6 1/24"),
    "Contiguous: memory in logical order": ("~", "=", "3072 1 96 3/30720"),
    "channels_last: the same shape, other strides": ("~", "~ says B", "3072 1 96 3/30720"),
    "permute copies no element": ("~", "=", "3072 96 3 1/30720"),
    "One image is a view at an offset": (
        "~ says strides 1, 96, 3 from 0",
        "~ says strides 1, 96, 3 from 9\u202f216",
        "3072 1 96 3/30720",
    ),
    "The stride of a size of 1 does not count": (
        "~",
        "~ says channels_last[^_]*yes",
        "7 1 96 3/3072",
    ),
    "A chunk of the channels has holes": (
        "31=31 x, 63=x 32 says contiguous[^_]*no",
        "31=031 032, 63=063 064 says contiguous[^_]*yes",
        "64 16 4 1/128",
    ),
    "A permutation can make channels_last unasked": (
        "~ says channels_last[^_]*yes",
        "~ says channels_last[^_]*no",
        "768 256 16 1/7680",
    ),
    "Contiguous and channels_last at once": (
        "says contiguous[^_]*yes\\s*channels_last[^_]*yes",
        "says contiguous[^_]*yes\\s*channels_last[^_]*no",
        "32 16 4 1/64",
    ),
    "nChw16c: the name tells the block": (
        "0=0000, 15=0240 0001, 31=0241",
        "0=0000, 8=0001, 24=0003, 128=0128",
        "512 128,1 32 8/1024",
    ),
    "A slice takes every second cell": (
        "1=2, 3=4, 9=10, 11=12 says 1, 3, 9, 11",
        "0=1, 2=3, 8=9, 10=11 says 0, 2, 8, 10",
        "16 16 4 1/16",
    ),
    "A negative stride begins at the end": (
        "13=14, 15=16, 5=6, 7=8 says 13, 15, 5, 7",
        "15=16, 13=14, 7=8, 5=6 says 15, 13, 7, 5",
        "16 16 4 1/16",
    ),
    "The same window as an index": (
        "13=14, 15=16, 5=6, 7=8 says 13, 15, 5, 7",
        "1=2, 3=4, 9=10, 11=12 says 1, 3, 9, 11",
        "16 16 4 1/16",
    ),
    "Tiles within tiles: Morton order": ("0=0 1 2 3 4 5", "0=0 1 2 3", "1 4/16"),
    "Rows as wide as the banks make a column wait": (
        "0=0000, 32=0032",
        "0=0000, 33=0032",
        "33 1/1055",
    ),
    "A swizzle spreads a column over the banks": (
        "0=00, 9=08, 18=16",
        "0=00, 8=08, 16=16",
        "8 1/64",
    ),
    "Blocks of two dimensions at once": (
        "0=000 006 012 018 048",
        "0=000 006 012 018 001, 48=048",
        "48 24,1 12 4/384",
    ),
    "Tiles reach beyond the edge": ("0=00 01 02 03 07, 15=x", "0=00, 6=06 07, 34=34", "7 1/35"),
    "A dimension that is split twice": (
        "0=000 004 008 012 032, 32=016",
        "0=000 004 008 012 016 020 024 028 032",
        "8 1 128 64/256",
    ),
    "A vector that is only partly used": (
        "0=000, 31=279, 288=288, 295=351 x",
        "0=000 009 018 027 001",
        "360 36,1 12 4/360",
    ),
    "Strides may count vectors": ("0=000 009 018 027 001", "=", "72 36,1 12 4/144"),
    "Weights in blocks of outputs and inputs": (
        "0=000 072 144 216 009",
        "0=000 009 018 027 072",
        "288,4 144,1 48 16/576",
    ),
    "A map that makes tiles": ("0=00 01 02 03 08", "0=00 08 16 24 01", "1 4/32"),
    "A layout can be an expression in C": (
        "0=000 020 040 060",
        "0=000 001, 20=020",
        "120 20 5 1/120",
    ),
    "A picture as three planes": ("~", "=", "36864 1 384 3/36864"),
    "A picture in stripes": ("~", "=", "49152 1 512 4/49152"),
    "A picture as a comb": ("~", "=", "36864 12288 128 1/36864"),
    "A million million elements open at once": (
        "~ says 2\u202f003",
        "~ says 2\u202f003\u202f000",
        "1000000000 1 1000000 1000/1000000000000",
    ),
    "10¹² elements, channels innermost": (
        "~",
        "~ says 1\u202f024\u202f000\u202f000\u202f000",
        "1024000000 32000000,1 32000 32/1024000000000",
    ),
    "10¹² elements in blocks of four": (
        "~",
        "~ says 500\u202f000\u202f000\u202f000",
        "1000000000 4000000,1 4000 4/1000000000000",
    ),
}


def _named(text: str) -> Named:
    cells, _, says = text.partition("says ")
    if cells.startswith("~"):
        return Named(says=says, drawn="texture")
    runs = (run.split("=") for run in cells.strip().split(", ") if run)
    return Named({int(address): labels for address, labels in runs}, says)


def _taught(name: str, before: str, after: str, facts: str) -> Taught:
    strides, _, addresses = facts.partition("/")
    named = _named(before)
    return Taught(name, named, named if after == "=" else _named(after), strides, int(addresses))


TAUGHT = [_taught(name, *row) for name, row in _ROWS.items()]
