"""Traces of PyTorch beside the tensors themselves, and logs of oneDNN beside their own bytes."""

import os
import random
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import torch

import app as stridescope  # the name of the installed package
from app.engine.runs.report import read_run
from app.engine.runs.traces import TraceTensor, loaded, saved
from conformance.code_library import VERSIONS
from conformance.onednn_library import header_tags
from conformance.report import Comparison
from conformance.run_modules import Seen, Witness, module

_MODULES, _REORDERS = 300, 120
_HERE = Path(__file__).parent
_ROOT = str(_HERE.parent)


def compare(rng: random.Random) -> Iterator[Comparison]:
    """All comparisons."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield from _modules(rng)
        yield _compiled()
    yield _output()
    yield _advice()
    for version in ("2.6", "3.2"):
        yield _reorders(rng, version)


def not_compared() -> str:
    """What is not compared, and why."""
    return "traces: GPUs and other threads, which are not here; copies inside PyTorch's kernels."


def _modules(rng: random.Random) -> Iterator[Comparison]:
    tensors = Comparison("traces", f"{_MODULES} modules: every event's tensors")
    same = Comparison("traces", "results and gradients with and without a trace, bit for bit")
    rules = Comparison("traces", "strides by the rules pytorch-eager")
    files = Comparison("traces", "saved and loaded again")
    logs = Comparison("traces", "oneDNN's lines: events, milliseconds, bytes")
    for _ in range(_MODULES):
        name, net, x = module(rng)
        mode = rng.choice(("no_grad", "inference_mode", "backward"))
        witness = Witness()
        plain = _results(net, x, mode)
        with witness, stridescope.trace() as run:
            traced = _results(net, x, mode)
        for one, other in zip(traced, plain, strict=True):
            same.equal(_bits(one), _bits(other), name, mode)
        _compare_tensors(tensors, witness.seen, run.events, name, mode)
        files.equal(loaded(saved(run._trace)), run._trace, name)
        for difference in run.columns.differences:
            rules.equal(difference.by_rules, difference.traced, name, mode, difference)
        rules.cases += run.columns.compared - len(run.columns.differences)
        _compare_log(logs, run._trace.log, name)
    yield from (tensors, same, rules, files, logs)


def _results(net: Any, x: Any, mode: str) -> list[Any]:
    torch.manual_seed(7)
    if mode != "backward":
        with getattr(torch, mode)():
            return [net(x)]
    x = x.detach().requires_grad_()
    net.zero_grad()
    y = net(x)
    y.square().mean().backward()
    return [y, x.grad, *(p.grad for p in net.parameters() if p.grad is not None)]


def _bits(tensor: Any) -> object:
    found = tensor.detach()
    return found.stride(), found.numpy().tobytes()


def _compare_tensors(
    result: Comparison, seen: list[Seen], events: Any, name: str, mode: str
) -> None:
    result.equal([e.op for e in events], [s.op for s in seen], name, mode)
    numbers: dict[int, int] = {}
    for event, each in zip(events, seen, strict=False):
        for ours, theirs in ((event.inputs, each.inputs), (event.outputs, each.outputs)):
            result.equal(
                [_facts(t) for t in ours],
                [(*t[:4], numbers.setdefault(t[4], len(numbers))) for t in theirs],
                name,
                mode,
                event.op,
            )


def _facts(tensor: TraceTensor) -> tuple[Any, ...]:
    return tensor.shape, tensor.strides, tensor.offset, tensor.dtype, tensor.storage


def _compare_log(result: Comparison, log: str, name: str) -> None:
    """Events and times by splitting lines, bytes by the library's own tag and the sizes."""
    lines = [line.split(",") for line in log.splitlines()]
    lines = [columns for columns in lines if columns[2:4] == ["primitive", "exec"]]
    if not lines:
        return
    run = read_run(log)
    events = [run.recorded.event(i) for i in range(len(run.recorded.ids))]
    result.equal([e.primitive for e in events], [c[5] for c in lines], name)
    # Sums of the same times in another order.
    total = sum(float(columns[-1]) for columns in lines)
    result.equal(round(run.totals.ms - total, 5), 0, name)
    for event in events:
        for operand in event.operands:
            if operand.layout is None or operand.shape is None:
                continue
            layout = stridescope.parse_layout(operand.layout, operand.shape)
            padded = stridescope.parse_layout(operand.layout, layout.padded_shape)
            most = int(stridescope.offset_map(padded).max()) + 1
            size = most * stridescope.parse_dtype(operand.dtype or "").bits // 8
            result.equal(operand.bytes, size, name, operand)


def _compiled() -> Comparison:
    """A function that was compiled before runs compiled in the block, as one event."""
    from torch._dynamo.utils import counters

    result = Comparison("traces", "compiled functions stay compiled")
    compiled = torch.compile(lambda x: (x * 2).relu().transpose(2, 3).contiguous())
    x = torch.randn(2, 3, 4, 5)
    with torch.no_grad():
        expected = compiled(x)
        before = dict(counters["frames"])
        with stridescope.trace() as run:
            found = compiled(x)
        after = compiled(x)
    result.equal(dict(counters["frames"]), before, "frames that were compiled")
    result.equal([_bits(found), _bits(after)], [_bits(expected)] * 2, "results")
    result.equal([e.op for e in run.events], ["compiled region"], "events")
    regions = [[(t.shape, t.strides) for t in e.outputs] for e in run.events]
    result.equal(regions, [[(tuple(expected.shape), expected.stride())]], "strides")
    return result


# A program that prints in the block, from Python, from C and from a child; and fails, if asked to.
_PRINTS = """
import ctypes, subprocess, sys, torch, app as stridescope
conv, x = torch.nn.Conv2d(8, 8, 3), torch.randn(2, 8, 9, 9)
print("before")
try:
    with stridescope.trace() as run, torch.no_grad():
        print("one")
        conv(x)
        ctypes.CDLL(None).puts(b"two")
        subprocess.run(["echo", "three"])
        if "fail" in sys.argv:
            raise KeyError
        print("four")
except KeyError:
    print("failed")
conv(x)
print("after", sum(len(e.inner) > 0 for e in run.events), flush=True)
"""


def _output() -> Comparison:
    """What others print in the block arrives, and oneDNN's own verbose mode is as before."""
    result = Comparison("traces", "standard output and ONEDNN_VERBOSE around a block")
    for level in (None, "0", "1", "2", "profile_create", "profile,dispatch"):
        for failing in (False, True):
            env = {k: v for k, v in os.environ.items() if not k.endswith("NN_VERBOSE")}
            env |= {"PYTHONPATH": _ROOT} | ({"ONEDNN_VERBOSE": level} if level else {})
            command = [sys.executable, "-c", _PRINTS, *(["fail"] if failing else [])]
            done = _call(command, env)
            lines = done.stdout.splitlines()
            words = [line for line in lines if "_verbose" not in line]
            last = ["failed"] if failing else ["four"]
            # What oneDNN's function cannot set again is left alone, and nothing is caught.
            caught = int(level != "profile_create")
            expected = ["before", "one", "two", "three", *last, f"after {caught}"]
            result.equal(words, expected, level, failing, done.stderr[-300:])
            shown = sum(",exec,cpu,convolution" in line for line in lines)
            times = level in {"1", "2", "profile,dispatch"}
            result.equal(shown, 2 * times, level, failing)
            after = next(at for at, line in enumerate(lines) if line in last)
            created = any("create:" in line for line in lines[after:])
            result.equal(created, level not in {None, "0", "1"}, level, failing)
    return result


def _advice() -> Comparison:
    """The programs of docs/what_ran.py: each finding with its line, and the advice saves."""
    result = Comparison("traces", "docs/what_ran.py: findings, and fewer bytes and ms after advice")
    env = {**os.environ, "PYTHONPATH": _ROOT}
    done = _call([sys.executable, str(_HERE.parent / "docs" / "what_ran.py")], env)
    print(done.stdout)
    result.equal(done.returncode, 0, done.stdout[-2000:], done.stderr[-500:])
    return result


def _reorders(rng: random.Random, version: str) -> Comparison:
    """Logs of random reorders: events, times, and the bytes that the library itself says."""
    result = Comparison(f"oneDNN {version}", "logs of reorders: events, milliseconds, bytes")
    home = Path(sys.prefix) / VERSIONS[version][0]
    tags = [t for t in header_tags(VERSIONS[version][0])[0] if 2 <= _rank(t) <= 5]
    rows = []
    for _ in range(_REORDERS):
        to = rng.choice(tags)
        sizes = [rng.randint(1, 40) if d < 2 else rng.randint(1, 6) for d in range(_rank(to))]
        plain = "abcde"[: _rank(to)]
        rows.append(f"{{{{{', '.join(map(str, sizes))}}}, tag::{plain}, tag::{to}}}")
    with tempfile.TemporaryDirectory() as name:
        folder, library = Path(name), home / "lib"
        (folder / "reorders.inc").write_text(",\n".join(rows), "utf-8")
        program = str(folder / "program")
        command = ["g++", "-std=c++17", "-O0", f"-I{home / 'include'}", f"-I{folder}"]
        command += [str(_HERE / "run_reorders.cpp"), f"-L{library}", "-ldnnl"]
        command += [f"-Wl,-rpath,{library}", "-o", program]
        env = {**os.environ, "OMP_NUM_THREADS": "1", "ONEDNN_VERBOSE": "1"}
        done = _call(command, env)
        if not done.returncode:
            done = _call([program], env)
    if done.returncode:
        raise ImportError(f"oneDNN {version}: {done.stderr.strip()[:400]}")
    run = read_run(done.stdout)
    said = [tuple(map(int, line.split())) for line in done.stderr.splitlines()]
    events = [run.recorded.event(i) for i in range(len(run.recorded.ids))]
    result.equal(len(events), len(said), "events")
    times = [
        float(line.rpartition(",")[2]) for line in done.stdout.splitlines() if ",exec," in line
    ]
    result.equal(round(run.totals.ms - sum(times), 5), 0, "milliseconds")
    for event, each, row in zip(events, said, rows, strict=False):
        result.equal(tuple(o.bytes for o in event.operands), each, row, event.operands)
    result.equal(run.skipped.lines, 0, "lines that are not read")
    return result


def _call(command: list[str], env: dict[str, str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, env=env, capture_output=True, text=True, check=False)  # noqa: S603  # commands written here


def _rank(tag: str) -> int:
    return sum(c.isalpha() for c in tag[: next((i for i, c in enumerate(tag) if c.isdigit()), 99)])
