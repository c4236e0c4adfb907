"""Milliseconds of JSON parsers on bodies as large as a call accepts: medians.

    python -m benchmarks.json.run [--rounds 9]

The parsers take turns. docs/decisions/0001-strict-json.md has the decision.
"""

import argparse
import json
import random
import time
from collections.abc import Callable
from statistics import median
from typing import Any

import orjson
import pydantic_core
from rich.console import Console
from rich.table import Table

from app.files.strict_json import parse_json

COUNT = 1 << 20
TENSOR = {"shape": [64, 64, 16, 16], "layout": "onednn:aBcd16b", "dtype": "float32"}
PARSERS: dict[str, Callable[[bytes], Any]] = {
    "parse_json": parse_json,
    "json": json.loads,
    "pydantic_core": pydantic_core.from_json,
    "orjson": orjson.loads,
}


def bodies() -> dict[str, bytes]:
    """Request bodies by their content."""
    chance = random.Random(1)  # noqa: S311  # not for secrets
    integers = [chance.randrange(COUNT) for _ in range(COUNT)]
    coordinates = [[chance.randrange(16) for _ in range(4)] for _ in range(COUNT)]
    floats = [chance.gauss(0, 1) for _ in range(COUNT)]
    return {
        "a description": json.dumps({**TENSOR, "dims": "NCHW", "elements": COUNT}).encode(),
        "2^20 coordinates": json.dumps({"tensor": TENSOR, "coordinates": coordinates}).encode(),
        "2^20 integers": json.dumps({"tensor": TENSOR, "offsets": integers}).encode(),
        "2^20 floats": json.dumps({"source": TENSOR, "values": floats}).encode(),
        "8 MB of 4299 digits": b"[" + b", ".join([b"7" * 4299] * 1950) + b"]",
    }


def milliseconds(parse: Callable[[bytes], Any], body: bytes) -> float:
    """Milliseconds of one call, NaN if the parser refuses the body."""
    calls = 1000 if len(body) < 1000 else 1
    began = time.perf_counter()
    try:
        for _ in range(calls):
            parse(body)
    except ValueError:
        return float("nan")
    return 1000 * (time.perf_counter() - began) / calls


def main() -> None:
    """Measure all in turn and print one table."""
    reader = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    reader.add_argument("--rounds", type=int, default=9)
    rounds = reader.parse_args().rounds
    table = Table("body", "bytes", *PARSERS, title="ms")
    for name, body in bodies().items():
        times: dict[str, list[float]] = {each: [] for each in PARSERS}
        for _ in range(rounds):
            for each, parse in PARSERS.items():
                times[each].append(milliseconds(parse, body))
        table.add_row(name, str(len(body)), *(f"{median(t):.3g}" for t in times.values()))
    Console(width=110).print(table)


if __name__ == "__main__":
    main()
