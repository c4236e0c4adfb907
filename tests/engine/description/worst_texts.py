"""Texts of at most 2 KB that cost most to describe: the worst of some 140 hostile ones."""

from typing import Final

TWOS = ",".join(["2"] * 22)
TEXTS: Final[dict[str, tuple[tuple[int, ...], str]]] = {
    "swizzled, most elements, shared": (
        (2048, 2048),
        "Swizzle<3,4,3> o (2048,2048):(1000,1001)",
    ),
    "swizzled, nested, scattered": (
        (1 << 22,),
        f"Swizzle<14,1,15> o (({TWOS})):"
        f"(({','.join(str(7919 * (k + 1) ** 3) for k in range(22))}))",
    ),
    "swizzled downwards": ((2048, 2048), "Swizzle<3,4,-5> o (2048,2048):(1024,1)"),
    "blocks of one": ((8, 8), "tvm:HW" + "1h1w" * 500),
    "blocks of one, a tag": ((3, 3), "onednn:AB" + "1a1b" * 509),
    "tiles of one": ((8, 8), "{1,0:T" + "(1,1)" * 400 + "}"),
    "strides without a pattern": (
        (2,) * 22,
        str(tuple((k * k * 104729 + 15485863) % 16777213 for k in range(22))),
    ),
    "digits of one letter": (
        (1 << 40,),
        "c:" + " + ".join(f"w/{2**k}%2*{3 ** (k % 30)}" for k in range(60)),
    ),
    "one letter a thousand times": ((5,), "c:" + "+".join(["w"] * 1000)),
    "a map of many terms": ((5,), "affine_map<(d0) -> (" + "+".join(["d0"] * 600) + ")>"),
}
