"""What each sentence about a wrong answer says that was done, computed from its words.

Memory is that of ``brute``. ``SUMS`` have an answer that follows from the sentence, ``FACTS`` say
something about the answer that is true or not.
"""

import math
import re
from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np

from app.engine import parse_dtype
from app.lessons.lesson import Answer, Question
from app.lessons.sums import ints

from .brute import memory_of


class Asked:
    """A question, in the numbers that its reader sees."""

    def __init__(self, question: Question) -> None:
        self.question, self.layout = question, question.tensors[0].layout
        self.about, self.right = question.about, question.expected
        self.shape, self.dims = self.layout.shape, self.layout.dims
        # The right answer, where it is a number, a cell or a choice.
        self.number = self.right if isinstance(self.right, int) else 0
        self.text = str(self.right)
        self.strides = self.layout.strides or ()
        self.bytes = parse_dtype(question.tensors[0].dtype).bits // 8

    @property
    def at(self) -> tuple[int, ...]:
        """The cell that is asked about, or that is at an address of the source."""
        if "source" in self.about:
            return self.cell(self.memory(self.about["source"])[self.about["address"]])
        return tuple(self.about["seen_at" if "seen_at" in self.about else "at"])

    def sum(self, strides: Sequence[int]) -> int:
        return int(np.dot(self.at, strides))

    def packed(self, shape: Sequence[int]) -> tuple[int, ...]:
        return tuple(math.prod(shape[d + 1 :]) for d in range(len(shape)))

    def memory(self, text: str) -> list[int]:
        return list(memory_of(text, self.shape).tolist())

    def address(self, text: str, at: Sequence[int]) -> int:
        return self.memory(text).index(int(np.ravel_multi_index(tuple(at), self.shape)))

    def cell(self, number: int) -> tuple[int, ...]:
        """The cell with a number in reading order."""
        return tuple(int(i) for i in np.unravel_index(number, self.shape))

    def after(self, text: str) -> tuple[int, ...]:
        return self.cell(self.memory(text)[self.address(text, self.at) + 1])

    def steps(self, text: str) -> tuple[int, ...]:
        return tuple(self.address(text, at) for at in np.eye(len(self.shape), dtype=int).tolist())

    def blocked(self, block: int, inside: int) -> int:
        """The address in a block of channels, by the strides of the layout."""
        (n,), (outer, inner), (h,), (w,) = self.layout.digits
        i, _, j, k = self.at
        return sum(
            index * digit.stride
            for index, digit in ((i, n), (block, outer), (inside, inner), (j, h), (k, w))
        )

    def crossing(self, taken: Sequence[range]) -> tuple[int, ...]:
        both = zip(taken, self.shape, strict=True)
        rows, columns = ([i for i in each if 0 <= i < n] for each, n in both)
        return tuple(sorted(h * self.shape[1] + w for h in rows for w in columns))

    @property
    def ranges(self) -> list[tuple[int, int, int]]:
        """Start, end and step of a slice; offset, size and stride of a window."""
        if "index" not in self.about:
            names = ("offsets", "sizes", "strides")
            return list(zip(*(self.about[name] for name in names), strict=True))
        parts = [[int(n) for n in each.split(":")] for each in self.about["index"].split(", ")]
        return [(part[0], part[1], part[2] if len(part) > 2 else 1) for part in parts]

    @property
    def flips(self) -> list[int]:
        """The step of a flipped view along each dimension."""
        return [int(each.strip(":") or 1) for each in self.about["index"].split(", ")]

    def flipped(self, begins: Sequence[int], steps: Sequence[int]) -> int:
        strides = self.packed(self.shape)
        cells = (b + i * s for b, i, s in zip(begins, self.at, steps, strict=True))
        return int(np.dot(list(cells), strides))

    @property
    def ends(self) -> list[int]:
        return [n - 1 if s < 0 else 0 for n, s in zip(self.shape, self.flips, strict=True)]

    def lines(self, elements: int) -> int:
        return len({address // elements for address in self.question.drawn})


Sum = Callable[[Asked, Sequence[str]], Answer]
Fact = Callable[[Asked, Sequence[str], Any], bool]


def _pixels(asked: Asked, part: str) -> int:
    """The address where each pixel before the cell, in its image or block, takes one place."""
    *_, (h,), (w,) = asked.layout.digits
    before = asked.at[-2] * asked.shape[-1] + asked.at[-1]
    assert len(asked.layout.digits[1]) == (2 if part == "block" else 1)
    whole = asked.number - asked.at[-2] * h.stride - asked.at[-1] * w.stride
    return whole + before


def _exchanged(asked: Asked, said: Sequence[str]) -> int:
    channel, block, inside = int(said[0]), int(said[1]), int(said[2])
    assert (channel, block, inside) == (asked.at[1], asked.at[1] // 4, asked.at[1] % 4)
    return asked.blocked(inside, block)


def _in_blocks_of_two(asked: Asked, _: Sequence[str]) -> Answer:
    n, c, h, w = ints(asked.right)
    return (n, 2 * (c % 4) + c // 4, h, w)


def _unpadded(asked: Asked, said: Sequence[str]) -> int:
    channels, room = map(int, said)
    return asked.number - asked.at[0] * (room - channels) * math.prod(asked.shape[2:])


def _formats(asked: Asked) -> list[tuple[str, bool, bool]]:
    """Each tensor to choose: whether it is channels_last, and whether it is contiguous."""
    found = []
    for text, (shape, strides) in zip(asked.question.choices, asked.about["tensors"], strict=True):
        x = np.lib.stride_tricks.as_strided(np.zeros(math.prod(shape), np.int8), shape, strides)
        both = x.transpose(0, 2, 3, 1).flags.c_contiguous, x.flags.c_contiguous
        found.append((text, *both))
    return found


# How the words go on, where that says nothing of what was done, is left out.
SUMS: Final[dict[str, Sum]] = {
    # Addresses and strides.
    r"That is the beginning of the same row": lambda a, _: (*a.at[:-1], 0),
    r"You went down one row\.": lambda a, _: (a.at[0] + 1, *a.at[1:]),
    r"That is the same place of the next grid\.": lambda a, _: (a.at[0] + 1, *a.at[1:]),
    r"You began the same grid again\.": lambda a, _: (a.at[0], 0, 0),
    r"You went down the columns\.": lambda a, _: divmod(a.about["address"], a.shape[0])[::-1],
    r"You counted from 1\. Address 0 is the first cell, so (\d+) are before it\.": (
        lambda a, said: a.cell(int(said[0]) - 1)
    ),
    r"You counted from 1\. The first address is 0\.": lambda a, _: a.number + 1,
    r"You counted from 1\. There are (\d+) before it\.": (
        lambda a, said: a.cell(a.memory("CHWN4")[int(said[0]) - 1])
    ),
    r"(\d+) would come out if neighbours along (\w) touched": (
        lambda a, _: a.address(a.dims[::-1], a.at)
    ),
    r"You multiplied each index but w's by the size of its own dimension\.": (
        lambda a, _: a.sum([*a.shape[:-1], 1])
    ),
    r"You gave the byte at which the cell begins\.": lambda a, _: a.number * a.bytes,
    r"You gave stride 1 to \w, the first letter\.": (lambda a, _: a.steps(a.about["layout"][::-1])),
    r"These are the sizes\.": lambda a, _: a.shape,
    r"These are the strides of (\w+)\.": lambda a, said: a.steps(said[0]),
    r"That counts elements\. Each of them takes (\d+) bytes\.": (
        lambda a, said: a.number // int(said[0])
    ),
    r"That counts bits\..* Each has eight bits\.": lambda a, _: a.number * 8,
    r"You took (\d+) bytes for the row, but 1 element for w\.": (
        lambda a, said: a.sum((int(said[0]), 1))
    ),
    r"([\d ×]+)(?: bytes)? counts the elements\.": (
        lambda _, said: math.prod(map(int, said[0].split("×")))
    ),
    r"You counted the last row's gap too\.": (lambda a, _: a.shape[0] * a.strides[0] * a.bytes),
    # Orders and views.
    r"\d+ is the place of this cell when one reads row by row\.": (
        lambda a, _: a.address(a.dims, a.at)
    ),
    r"You counted each pixel before it in its (\w+) as one place\.": (
        lambda a, said: _pixels(a, said[0])
    ),
    r"You took h's stride for w, and w's for h\.": (
        lambda a, _: a.sum([*a.strides[:-2], a.strides[-1], a.strides[-2]])
    ),
    r"You read the name backwards\.": lambda a, _: a.text[::-1],
    r"You exchanged h and w\.": lambda a, _: a.text.translate({72: "W", 87: "H"}),
    r"That would be its place if every cell were stored\.": (lambda a, _: a.sum(a.packed(a.shape))),
    r"You moved along [\w ]+ too\.": lambda a, _: sum(a.at),
    r"You kept one element\.": lambda a, _: a.bytes,
    r"Those are the strides of a copy of shape \((.+)\)\.": (
        lambda a, said: a.packed([int(n) for n in said[0].split(", ")])
    ),
    r"Those are the strides before\.": lambda a, _: a.strides,
    r"You permuted the other way round": (
        lambda a, _: tuple(a.strides[d] for d in np.argsort(a.about["order"]))
    ),
    r"You went on one by one\.": (lambda a, _: a.flipped(a.ends, [s // abs(s) for s in a.flips])),
    r"You began at the last cell of x\.": (
        lambda a, _: a.flipped([n - 1 for n in a.shape], a.flips)
    ),
    r"You went forwards from address 0\.": (
        lambda a, _: a.flipped([0] * 2, [abs(s) for s in a.flips])
    ),
    r"You began one too far\.": (
        lambda a, _: a.flipped([end and end + 1 for end in a.ends], a.flips)
    ),
    r"Not each of them": lambda a, _: tuple(a.question.choices),
    r"Memory need not be in reading order for that": lambda *_: (),
    r"(\(.+\)) is the shape of a transposed x\.": (
        lambda a, said: tuple(
            text
            for text in a.question.choices
            if text == said[0] or (isinstance(a.right, tuple) and text in a.right)
        )
    ),
    # Padding and blocks.
    r"You skipped only the (\d+) elements of each row\.": (
        lambda a, said: a.sum((int(said[0]), 1))
    ),
    r"You counted full blocks alone, (\d+) of them\.": (
        lambda a, said: (
            math.prod((a.shape[0], *a.shape[2:]))
            * int(said[0])
            * int(a.question.tensors[0].text.removeprefix("NCHW"))
            * (a.bytes if a.question.unit == "bytes" else 1)
        )
    ),
    r"That is the next cell in (\w+)\.": lambda a, said: a.after(said[0]),
    r"That is (NHWC)\.": lambda a, said: a.after(said[0]),
    r"You took all eight channels for one block\.": lambda a, _: a.after("NHWC"),
    r"You exchanged ⌊c/4⌋ and c mod 4: c (\d+) is in block (\d+), and \d+ mod 4 is (\d+)\.": (
        _exchanged
    ),
    r"You took c mod 4 for the number of the block, and ⌊c/4⌋ for the place in it, as if a "
    r"block had two channels\.": _in_blocks_of_two,
    r"You forgot the padding: c has (\d+) elements, but its blocks hold (\d+)\.": _unpadded,
    r"That is at (\d+) in (\w+)\.": lambda a, said: a.cell(a.memory(said[1])[int(said[0])]),
    r"That cell has the number (\d+)\.": lambda a, said: a.cell(int(said[0])),
    # Windows, lines and reorders.
    r"You read the end too\.": (
        lambda a, _: a.crossing([range(b, e + 1, s) for b, e, s in a.ranges])
    ),
    r"You read every cell between start and end\.": (
        lambda a, _: a.crossing([range(b, e) for b, e, _ in a.ranges])
    ),
    r"You took the number after the colon for a count\.": (
        lambda a, _: a.crossing([range(b, b + n * s, s) for b, n, s in a.ranges])
    ),
    r"You took the window size for the end\.": (
        lambda a, _: a.crossing([range(o, n, abs(s)) for o, n, s in a.ranges])
    ),
    r"That is the whole window\.": (
        lambda a, _: a.crossing([range(o, o + n) for o, n, _ in a.ranges])
    ),
    r"You began at the window offset\.": (
        lambda a, _: a.crossing([range(o, o + n, abs(s)) for o, n, s in a.ranges])
    ),
    r"You went back from the window offset to index 0\.": (
        lambda a, _: a.crossing([range(o, o + n if s > 0 else -1, s) for o, n, s in a.ranges])
    ),
    r"You counted a line for each of the (\d+) elements\.": lambda _, said: int(said[0]),
    r"That would do if the (\d+) elements lay side by side from the beginning of a line\.": (
        lambda a, said: math.ceil(int(said[0]) * a.bytes / 64)
    ),
    r"You let a line hold (\d+) elements\.": lambda a, said: a.lines(int(said[0])),
    r"Only the elements stay the same\.": lambda a, _: a.about["address"],
    r"You read (\d+) as an address of (\w+)\. It is one of (\w+)\.": (
        lambda a, said: a.address(said[2], a.cell(a.memory(said[1])[int(said[0])]))
    ),
    r"You wrote the elements alone\.": lambda a, _: 2 * math.prod(a.shape) * a.bytes,
    r"You counted what is read\.": lambda a, _: math.prod(a.shape) * a.bytes,
    r"You counted what is written\.": lambda a, _: len(a.memory("NCHW4")) * a.bytes,
    # Of tensors to choose.
    r"A tensor can be contiguous too": (
        lambda a, _: tuple(text for text, last, plain in _formats(a) if last and not plain)
    ),
    r"Not each order but NCHW is channels_last": (
        lambda a, _: tuple(text for text, last, plain in _formats(a) if last or not plain)
    ),
    r"The shape is n, c, h, w all the time\.": lambda a, _: a.question.choices[-1],
}


def _in_order(asked: Asked, said: Sequence[str], answer: Any) -> bool:
    return bool(int(said[0]) == answer == asked.address(said[1], asked.at))


def _begins(asked: Asked, text: str) -> list[tuple[int, ...]]:
    """The first cells of a picture's memory, were it in this layout."""
    return [asked.cell(number) for number in asked.memory(text)[:9]]


def _block_first(asked: Asked, _: Sequence[str], answer: Any) -> bool:
    channels = [c for _, c, *_ in _begins(asked, answer)]
    return channels[:5] == [0, 1, 2, 3, 0]


FACTS: Final[dict[str, Fact]] = {
    r"(\d+) is its address in (\w+)\.": _in_order,
    r"c (\d+) and c (\d+) are in different blocks\.": (
        lambda a, said, answer: (
            answer == (*a.at[:1], int(said[1]), *a.at[2:])
            and int(said[0]) == a.at[1]
            and int(said[0]) // 4 != int(said[1]) // 4
        )
    ),
    r"In NCHW the numbers would simply go up by one\.": (
        lambda a, _, answer: a.memory(answer) == sorted(a.memory(answer))
    ),
    r"In (\w+) the channels of the first pixel would come first\.": (
        lambda a, said, answer: (
            answer == said[0]
            and _begins(a, answer)[: a.shape[1]] == [(0, c, 0, 0) for c in range(a.shape[1])]
        )
    ),
    r"In (CHWN) the second image would follow at once\.": (
        lambda a, said, answer: answer == said[0] and _begins(a, answer)[1] == (1, 0, 0, 0)
    ),
    r"Of a block the first four channels would come first, and then others\.": _block_first,
    r"The numbers begin with four channels, so c lies in a block\.": (
        lambda a, _, answer: not answer[-1].isdigit() and a.text[-1] == "4"
    ),
    r"After four channels the next pixel follows, not an image\.": (
        lambda a, _, answer: (
            _block_first(a, _, answer)
            and _begins(a, answer)[4] == (1, 0, 0, 0)
            and _begins(a, a.text)[4] == (0, 0, 0, 1)
        )
    ),
    r"After four channels the next image follows: n is before 4\.": (
        lambda a, _, answer: (
            _block_first(a, _, answer)
            and _begins(a, answer)[4] == (0, 0, 0, 1)
            and _begins(a, a.text)[4] == (1, 0, 0, 0)
        )
    ),
    r"In (NHWC) all eight channels of a pixel would come first\.": (
        lambda a, said, answer: (
            answer == said[0] and _begins(a, answer)[:8] == [(0, c, 0, 0) for c in range(8)]
        )
    ),
    r"In (NCHW) the second image would come after all of the first\.": (
        lambda a, said, answer: answer == said[0] and a.memory(answer) == sorted(a.memory(answer))
    ),
    r"Pooling follows the order of its operand\.": lambda a, _, line: "pool" in line,
    r"An element-wise operator makes a new tensor": (
        lambda a, _, line: "relu" in line or "sigmoid" in line
    ),
    r"Grouping h and w is a view here": lambda a, _, line: "flatten(2)" in line,
    r"With two operands the first decides the order: here x\.": (
        lambda a, _, line: line == "x = x + y"
    ),
    r"x has lost it before that\.": (
        lambda a, _, line: a.question.choices.index(line) > a.question.choices.index(a.text)
    ),
}


def is_true(question: Question, text: str, answer: Answer) -> bool:
    """Whether what is said of an answer gives this answer. Errors: ValueError."""
    asked = Asked(question)
    sums = [(say, found) for words, say in SUMS.items() if (found := re.match(words, text))]
    facts = [(say, found) for words, say in FACTS.items() if (found := re.match(words, text))]
    if len(sums) + len(facts) != 1:
        raise ValueError(text)
    for say, found in sums:
        return say(asked, found.groups()) == answer
    ((fact, found),) = facts
    return fact(asked, found.groups(), answer)
