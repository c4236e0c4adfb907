"""Verbose lines for tests, in the spelling of oneDNN 3.6 and later."""

from collections.abc import Iterator

HEADER = "onednn_verbose,v1,info,oneDNN v3.12.0 (commit 80afa71)\n"
PLAIN, BLOCKED, LAST = "abcd", "aBcd16b", "acdb"


def line(primitive: str, operands: str, problem: str, ms: str = "0.5", **more: str) -> str:
    """An execution. ``more``: engine, implementation, prop, attributes, auxiliary."""
    said = {"engine": "cpu", "implementation": "jit:avx512_core", "prop": "undef"} | more
    described = f"{said['implementation']},{said['prop']},{operands},{said.get('attributes', '')}"
    tail = f"{said.get('auxiliary', '')},{problem},{ms}"
    return f"onednn_verbose,v1,primitive,exec,{said['engine']},{primitive},{described},{tail}\n"


def reorder(source: str, target: str, sizes: str, ms: str = "0.5", **more: str) -> str:
    """A reorder between two tags; ``more``: as in ``line``, and ``types``."""
    types = more.pop("types", "f32 f32").split()
    operands = f"src:{types[0]}::blocked:{source}::f0 dst:{types[1]}::blocked:{target}::f0"
    return line("reorder", operands, sizes, ms, **more)


def conv(
    channels: int, results: int, layout: str = BLOCKED, weights: str = "ABcd16b16a", **more: str
) -> str:
    """A convolution of 3x3 that keeps 12x12; ``more``: as in ``line``, and ``mark`` (``a``)."""
    mark = more.pop("mark", "a")
    dst = more.pop("dst", layout)
    operands = (
        f"src:f32:{mark}:blocked:{layout}::f0 wei:f32:a:blocked:{weights}::f0 "
        f"dst:f32:{mark}:blocked:{dst}::f0"
    )
    said = {"prop": "forward_training", "auxiliary": "alg:convolution_direct"} | more
    problem = f"mb2_ic{channels}oc{results}_ih12oh12kh3sh1dh0ph1_iw12ow12kw3sw1dw0pw1"
    return line("convolution", operands, problem, said.pop("ms", "0.5"), **said)


def in_place(
    primitive: str, layout: str = BLOCKED, gradient: str | None = None, **more: str
) -> str:
    """A primitive on 2x32x12x12 whose line describes source and result once; ``more``: as in
    ``line``."""
    operands = f"data:f32::blocked:{layout}::f0"
    if gradient is not None:
        operands += f" diff:f32::blocked:{gradient}::f0"
    return line(primitive, operands, "2x32x12x12", **{"prop": "forward_training"} | more)


def plain_conv(channels: int, results: int, **more: str) -> str:
    """What PyTorch prints for a convolution of plain memory: three reorders around it."""
    return (
        reorder(PLAIN, BLOCKED, f"2x{channels}x12x12")
        + reorder(PLAIN, "ABcd16b16a", f"{results}x{channels}x3x3")
        + conv(channels, results, **more)
        + reorder(BLOCKED, PLAIN, f"2x{results}x12x12")
    )


def executions(text: str) -> Iterator[list[str]]:
    """The columns of each execution of a primitive, by splitting alone."""
    for each in text.splitlines():
        columns = each.split(",")
        if columns[2:4] == ["primitive", "exec"]:
            yield columns[4:]
