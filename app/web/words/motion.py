"""Words of reorders, of what accesses cost, of the pages and of networks."""

from typing import Final

from .word import Word

MOTION: Final = (
    # how it moves
    Word(
        "reorder, reorders",
        "A copy of every element from its address in one layout to its address in another. It "
        "reads and writes the whole tensor.",
        "00 01 12 13/00 12 01 13",
        lesson="reorders",
    ),
    Word(
        "plan, plans",
        "The copy as loops, decided before a byte is moved. For a network: which layout each "
        "tensor has so that the fewest bytes are moved.",
        ":for -n/_ :for -c/_ _ :for -w",
    ),
    Word(
        "loop, loops",
        "One counter of a walk or a copy, with a step in memory. The innermost changes at each "
        "step.",
        "0 0 0 | 1 1 1 | 2 2 2",
        "0>1, 1>2",
    ),
    Word(
        "fill, zeros",
        "Zeros that a reorder writes where the target has padding. Nothing is read for them.",
        "04 15 #0 #0",
        lesson="padding",
    ),
    Word(
        "unit, units",
        "Neighbours of the source that stay neighbours in the target. They are moved as one, up to"
        " 16 bytes at a time.",
        "0A 0B 0C 0D/_ _ 0A 0B 0C 0D",
    ),
    Word(
        "run",
        "One execution of a program or a network, from its inputs to its results. What it did "
        "stands in a log or a profile: each event, its layouts and its time.",
        "0A 1B 2C 3D",
        "0>1, 1>2, 2>3",
    ),
    Word(
        "run",
        "Several units that stay neighbours in both memories. A reorder moves them together, in "
        "one step.",
        "0A 0A 1B 1B/_ 0A 0A 1B 1B",
        page="reorder",
    ),
    Word(
        "move",
        "One nest of loops of a plan, which copies units of one size. A plan has another move where"
        " the last block is not whole.",
        "0A 0A 0A 0A/1B 1B",
    ),
    Word(
        "register, registers",
        "A place inside the processor that holds one row of values, 16 bytes or more. A "
        "transposition turns rows into columns there, without memory.",
        "00 01 02 03/10 11 12 13",
    ),
    Word(
        "tile, tiles, transpose, interleave",
        "A small rectangle that is moved as a whole. Transposing turns its rows into columns, "
        "interleaving weaves several rows into one.",
        "00 01 02/13 14 15/_/00 13/01 14/02 15",
    ),
    Word(
        "step, steps, schedule",
        "One unit or run that is copied, or zeros that are written. The steps of a plan are its"
        " schedule, numbered from 0.",
        ":0 :1 :2 :3/0A 0B 0C! -",
    ),
    Word(
        "cache line, cache lines, line, lines",
        "64 bytes that the processor fetches from memory at once. Of 4-byte elements it is "
        "sixteen, whether all of them are used or one.",
        "0! - - - - - - | - - -",
        lesson="cache-lines",
    ),
    Word(
        "memory page, pages",
        "Usually 4096 bytes, the unit in which memory is assigned to programs. Jumping from "
        "page to page costs a look-up each time.",
        "0 0 0 | 1 1 1 | 2 2 2",
    ),
    Word(
        "fetched",
        "A line or page that was not at hand and had to come from memory. One that is visited "
        "again after a detour is fetched again.",
        "0! 0 0 0 | 1! 1 1 1",
        lesson="cache-lines",
    ),
    Word(
        "streamed",
        "Written to memory past the caches. A whole line is written without being read first.",
        "0A 0B 0C 0D",
    ),
    Word(
        "scratch buffer",
        "Memory for what is on its way between two parts of a plan. It is given back afterwards.",
        "0A 0B/-A -B/1A 1B",
    ),
    Word(
        "worker, workers, piece, pieces",
        "A thread or process that moves a part of a reorder. Each piece has addresses of its "
        "own to write, so that workers never wait for each other.",
        "0 0 0 0 | 1 1 1 1",
    ),
    Word(
        "backend",
        "The library that moves the bytes: NumPy, Numba’s compiled kernels, or CuPy on a GPU. "
        "All give the same result.",
        "0A 0B 0C/1A 1B 1C",
    ),
    # what it costs
    Word(
        "walk, visit, jump, jumps",
        "A walk visits each element once, in an order of loops. A jump is the distance in "
        "memory between two visits.",
        "00 - - 01 - - 02",
        "0>3 +3, 3>6 +3",
        lesson="cache-lines",
    ),
    Word(
        "warp, warps, lane, lanes",
        "32 threads of a GPU that access memory at the same time; each of them is a lane. What "
        "a warp costs depends on which addresses its lanes ask for together.",
        "00 01 02 03 04 05 06 07",
    ),
    Word(
        "sector, sectors",
        "32 bytes of a GPU’s memory, the least that it moves. A warp is cheap if its lanes use "
        "whole sectors.",
        "0! 0! 0! 0! 0! 0! 0! 0! | - -",
    ),
    Word(
        "bank, banks, word",
        "Shared memory of a GPU is 32 banks wide; each gives one word of 4 bytes at a time. "
        "Address 32 is in bank 0 again.",
        ":b0 :b1 :b2 :b3/00 11 22 33/0 1 2 3",
    ),
    Word(
        "pass, passes, phase, phases",
        "One turn in which each bank serves one word. Lanes that are served together are a "
        "phase; it takes as many passes as its busiest bank has words.",
        "0! - - -/0! - - -",
    ),
    Word(
        "conflict, conflicts",
        "Two lanes want different words of the same bank, so one waits. It is counted as a pass"
        " more than would be needed.",
        ":b0 :b1 :b2 :b3/0! - - -/0! - - -",
    ),
    # what the page shows
    Word(
        "strip, band",
        "A whole memory as one line below its grid. Its bands are what the outermost loop "
        "takes; the frame is the part in view.",
        "0 0 0 1! 1! 2 2 2",
    ),
    Word(
        "rail, rails",
        "The signs beside a memory, one for each cache line: untouched, open or finished. An "
        "open line will be visited again.",
        "0 0 0 0 _ 0!/- - - - _ -",
    ),
    Word(
        "table",
        "The cells in view as rows and columns of text. Screen readers, and copying, take it as"
        " any table.",
        "_ :w0 :w1/:h0 -A -B/:h1 -C -D",
    ),
    # networks
    Word(
        "graph, node, nodes",
        "A network drawn as nodes, each one use of an operator, and edges, the tensors between "
        "them. Each edge has a layout.",
        "0a _ 1b _ 2c",
        "0>2, 2>4",
    ),
    Word(
        "operator, operators",
        "A kind of computation, such as a convolution or an addition. Some work in any layout, "
        "some only in one, and some lose it.",
        "0 0/_ 1+/0 0",
    ),
    Word(
        "operand, operands",
        "A tensor that an operator reads, such as the image and the weights of a convolution, or"
        " writes, as its result. Each has a layout of its own.",
        "0x _ 2y/1w",
        "0>2",
    ),
    Word(
        "copy, copies",
        "Elements that are written again at other addresses. A view needs none; a reorder copies"
        " every element.",
        "0A 0B 1C 1D/0A 1C 0B 1D",
        lesson="reorders",
    ),
    Word(
        "rules, rule set, propagation",
        "What one real system does with layouts, from node to node. Each was compared with the "
        "system itself, except those marked †.",
        "0a 0b 1c",
        "0>1, 1>2",
        lesson="channels-last",
    ),
    Word(
        "lost",
        "The format that a tensor came with and a node gave up. What follows runs in the plain "
        "order, or pays for a reorder back.",
        "0a 0b -c -d",
        "0>1, 1>2, 2>3",
        lesson="channels-last",
    ),
    Word(
        "proof, bound, optimal",
        "A cost that no choice of layouts can be below. Where the plan costs exactly that, no "
        "better one exists.",
        "- - -/0 0 0",
    ),
    Word(
        "cost, costs, choice, baseline, baselines",
        "The bytes that reorders read and write at each run, and those that nodes move "
        "themselves. A baseline is another choice of layouts, to compare with.",
        "0 0/1 1 1 1/2 2 2 2 2 2",
    ),
    Word(
        "fold, folded, arrangement",
        "Equal blocks of a network that follow each other are drawn as one, with their number. "
        "Unfold it to see each.",
        "0a 0a 0a _ 0a!/_ _ _ _ :×3",
        "2>4",
    ),
    Word(
        "chunk, chunks, shard, box",
        "A part of a whole: PyTorch’s chunk cuts a tensor along a dimension, without a copy. "
        "On disk a chunk is stored as one object; a shard has several.",
        "0 0 | 1 1/0 0 | 1 1",
    ),
)
