// Reorders on a GPU. launches.py and tiles.py compute the arguments.
//
// Memory is moved in units of 1, 2, 4, 8 or 16 bytes, whose content does not matter, or in nibbles.
// Offsets and strides are in units and have 64 bits. Indices are below 2^31: a division in 32 bits
// costs one multiplication, in 64 bits a hundred instructions.

typedef long long Offset;
typedef unsigned int Index;

const int MOST_LOOPS = 96;  // keeps the arguments below 4 KB, the most that a launch takes
const int DEPTH = 4;        // loads in flight per thread
const int WORD_BYTES = 4;   // a warp's words are a line of 128 bytes
const Offset PADDING = -0x7fffffffffffffffLL - 1;

// n / divisor = (n * multiplier >> 32) >> shift for every n < 2^31.
struct Divisor {
    Index divisor, multiplier, shift;
};

// Steps from `extent` on are fill: they write zeros to the target and read nothing.
struct Loop {
    Offset source_stride, target_stride;
    Divisor steps;
    Index extent;
};

__device__ __forceinline__ Index quotient(Index n, const Divisor& by) {
    return by.divisor == 1 ? n : __umulhi(n, by.multiplier) >> by.shift;
}

// Returns the innermost digit of `rest` and removes it from `rest`.
__device__ __forceinline__ Index digit(Index& rest, const Divisor& by) {
    Index whole = rest, above = quotient(whole, by);
    rest = above;
    return whole - above * by.divisor;
}

template <int BYTES> struct UnitOf;
template <> struct UnitOf<1> { typedef unsigned char Type; };
template <> struct UnitOf<2> { typedef unsigned short Type; };
template <> struct UnitOf<4> { typedef unsigned int Type; };
template <> struct UnitOf<8> { typedef unsigned long long Type; };
template <> struct UnitOf<16> { typedef uint4 Type; };

template <int BYTES, int COUNT>
struct alignas(BYTES * COUNT) Word {
    typename UnitOf<BYTES>::Type unit[COUNT];
};

// ---- unit by unit ------------------------------------------------------------------------

struct Swizzle {
    Offset mask;
    int shift;
};

// `loops` are nested loops, innermost first. In a gather, each dimension has one loop, whose steps
// are its size and whose extent is the number of terms that follow it: n / steps * stride.
struct Copy {
    Offset source, target;
    Swizzle source_swizzle, target_swizzle;
    Divisor parts;  // units per element of a gather
    Index units, loops, reads;
    Index half;  // of each byte, the one that a launch writes: 0 is low, 1 is high
    Loop loop[MOST_LOOPS];
};

__device__ __forceinline__ Offset swizzled(Offset offset, const Swizzle& by) {
    Offset moved = offset & by.mask;
    return offset ^ (by.shift >= 0 ? moved >> by.shift : moved << -by.shift);
}

struct Place {
    Offset source, target;
    bool real;
};

__device__ __forceinline__ Place within(const Loop* loop, Index loops, Index rest) {
    Place at = {0, 0, true};
    for (Index k = 0; k < loops; ++k) {
        Index i = digit(rest, loop[k].steps);
        at.source += i * loop[k].source_stride;
        at.target += i * loop[k].target_stride;
        at.real &= i < loop[k].extent;
    }
    return at;
}

template <bool GATHER>
__device__ __forceinline__ Place place_of(const Copy& copy, Index unit) {
    if (!GATHER) {
        Place at = within(copy.loop, copy.loops, unit);
        at.source += copy.source;
        at.target += copy.target;
        at.real &= copy.reads != 0;
        return at;
    }
    Index part = digit(unit, copy.parts);
    Offset source = copy.source, target = copy.target;
    for (Index k = 0; k < copy.loops;) {
        Index i = digit(unit, copy.loop[k].steps);
        for (Index end = k + copy.loop[k].extent; k++ < end;) {
            Index n = quotient(i, copy.loop[k].steps);
            source += n * copy.loop[k].source_stride;
            target += n * copy.loop[k].target_stride;
        }
    }
    source = swizzled(source, copy.source_swizzle) * copy.parts.divisor + part;
    target = swizzled(target, copy.target_swizzle) * copy.parts.divisor + part;
    return {source, target, copy.reads != 0};
}

template <int BYTES, bool GATHER>
__global__ void copy_units(
    const unsigned char* __restrict__ from, unsigned char* __restrict__ to,
    const Copy copy
) {
    typedef typename UnitOf<BYTES>::Type Unit;
    const Unit* source = reinterpret_cast<const Unit*>(from);
    Unit* target = reinterpret_cast<Unit*>(to);
    const Index first = blockIdx.x * (DEPTH * blockDim.x) + threadIdx.x;
    Unit taken[DEPTH];
    Offset at[DEPTH];
#pragma unroll
    for (int d = 0; d < DEPTH; ++d) {
        Index unit = first + d * blockDim.x;
        Place place = place_of<GATHER>(copy, unit);
        at[d] = place.target;
        taken[d] = unit < copy.units && place.real ? source[place.source] : Unit();
    }
#pragma unroll
    for (int d = 0; d < DEPTH; ++d)
        if (first + d * blockDim.x < copy.units) target[at[d]] = taken[d];
}

// A launch writes only low or only high halves of bytes, so that no two threads write one byte.
template <bool GATHER>
__global__ void copy_nibbles(
    const unsigned char* __restrict__ from, unsigned char* __restrict__ to,
    const Copy copy
) {
    const Index unit = blockIdx.x * blockDim.x + threadIdx.x;
    if (unit >= copy.units) return;
    const Place at = place_of<GATHER>(copy, unit);
    if ((at.target & 1) != copy.half) return;
    Index nibble = 0;
    if (at.real) nibble = from[at.source >> 1] >> (at.source & 1 ? 4 : 0) & 15;
    unsigned char* byte = to + (at.target >> 1);
    *byte = copy.half ? (*byte & 15) | nibble << 4 : (*byte & 240) | nibble;
}

// ---- tiles turned in shared memory -------------------------------------------------------

// Columns are neighbours in the source, rows are neighbours in the target. Both are nested loops,
// counted by one index. A tile that is one run of memory on a side is moved there as one run, else
// line by line.
struct Tiles {
    Offset source, target;
    Divisor row_tiles, column_tiles;
    Divisor rows, columns;            // of a whole tile
    Divisor read_words, write_words;  // of a line of a whole tile
    Index row_count, column_count;    // of all tiles
    Index pitch;                      // units from a column to the next in shared memory
    Index slots;                      // columns / units of a word
    Index tables;                     // where the tables begin after the tile, in bytes
    Index source_is_run, target_is_run;
    Index wide_reads, wide_writes;    // by whole words, because every line begins at a word
    Index row_loops, column_loops, outer_loops;
    Loop loop[MOST_LOOPS];            // in that order, innermost first
};

// The units of one word of the source go to neighbouring columns. These are stored `slots` apart,
// and the pitch is odd in words. So 32 words of a line, and 32 words of a column, use 32 banks.
template <int BYTES>
__device__ __forceinline__ Index slot(Index column, Index slots) {
    const Index group = BYTES < WORD_BYTES ? WORD_BYTES / BYTES : 1;
    return column % group * slots + column / group;
}

template <int BYTES, int COUNT>
__device__ __forceinline__ void read_tile(
    const Tiles& tiles, const typename UnitOf<BYTES>::Type* __restrict__ source,
    const Offset* row_source, typename UnitOf<BYTES>::Type* tile, Index rows, Index columns
) {
    const bool run = tiles.source_is_run;
    const Index length = run ? rows * columns : columns;
    const Index words = (run ? 1 : rows) * tiles.read_words.divisor;
    for (Index first = threadIdx.x; first < words; first += DEPTH * blockDim.x) {
        Word<BYTES, COUNT> taken[DEPTH];
        Index lines[DEPTH], units[DEPTH];
#pragma unroll
        for (int d = 0; d < DEPTH; ++d) {
            Index line = first + d * blockDim.x;
            const bool here = line < words;
            Index unit = digit(line, tiles.read_words) * COUNT;
            if (!here) unit = length;
            const Offset at = run || !here ? 0 : row_source[line];
            taken[d] = {};
            if (at != PADDING && unit < length) {
                const auto* from = source + at + unit;
                if (COUNT == 1 || unit + COUNT <= length)
                    taken[d] = *reinterpret_cast<const Word<BYTES, COUNT>*>(from);
                else
                    for (int j = 0; j < COUNT; ++j)
                        if (unit + j < length) taken[d].unit[j] = from[j];
            }
            lines[d] = line;
            units[d] = unit;
        }
#pragma unroll
        for (int d = 0; d < DEPTH; ++d) {
            Index row = lines[d], column = units[d];
            if (run) {
                row = column;
                column = digit(row, tiles.columns);
            }
#pragma unroll
            for (int j = 0; j < COUNT; ++j) {
                if (units[d] + j < length)
                    tile[slot<BYTES>(column, tiles.slots) * tiles.pitch + row] = taken[d].unit[j];
                if (++column == columns) {  // only a run continues in the next row
                    column = 0;
                    ++row;
                }
            }
        }
    }
}

template <int BYTES, int COUNT>
__device__ __forceinline__ void write_tile(
    const Tiles& tiles, typename UnitOf<BYTES>::Type* __restrict__ target,
    const Offset* column_target, const typename UnitOf<BYTES>::Type* tile, Index rows, Index columns
) {
    const bool run = tiles.target_is_run;
    const Index length = run ? rows * columns : rows;
    const Index words = (run ? 1 : columns) * tiles.write_words.divisor;
    const bool whole = !run || rows % COUNT == 0;
#pragma unroll 4
    for (Index i = threadIdx.x; i < words; i += blockDim.x) {
        Index column = i;
        const Index unit = digit(column, tiles.write_words) * COUNT;
        if (unit >= length) continue;
        auto* to = target + unit + (run ? 0 : column_target[column]);
        Index row = unit;
        if (run) {
            column = unit;
            row = digit(column, tiles.rows);
        }
        Word<BYTES, COUNT> given;
        const auto* found = tile + slot<BYTES>(column, tiles.slots) * tiles.pitch + row;
        if (COUNT == 1 || whole) {
            given = *reinterpret_cast<const Word<BYTES, COUNT>*>(found);
        } else {
#pragma unroll
            for (int j = 0; j < COUNT; ++j) {
                if (unit + j < length)
                    given.unit[j] = tile[slot<BYTES>(column, tiles.slots) * tiles.pitch + row];
                if (++row == rows) {
                    row = 0;
                    ++column;
                }
            }
        }
        if (COUNT == 1 || unit + COUNT <= length)
            *reinterpret_cast<Word<BYTES, COUNT>*>(to) = given;
        else
            for (int j = 0; j < COUNT; ++j)
                if (unit + j < length) to[j] = given.unit[j];
    }
}

template <int BYTES>
__global__ void turn_tiles(
    const unsigned char* __restrict__ from, unsigned char* __restrict__ to,
    const Tiles tiles
) {
    typedef typename UnitOf<BYTES>::Type Unit;
    const int COUNT = BYTES < WORD_BYTES ? WORD_BYTES / BYTES : 1;
    extern __shared__ uint4 shared[];
    Unit* tile = reinterpret_cast<Unit*>(shared);
    Offset* row_source = reinterpret_cast<Offset*>(
        reinterpret_cast<unsigned char*>(shared) + tiles.tables
    );
    Offset* column_target = row_source + (tiles.source_is_run ? 0 : tiles.rows.divisor);

    Index block = blockIdx.x;
    const Index row = digit(block, tiles.row_tiles) * tiles.rows.divisor;
    const Index column = digit(block, tiles.column_tiles) * tiles.columns.divisor;
    const Index rows = min(tiles.rows.divisor, tiles.row_count - row);
    const Index columns = min(tiles.columns.divisor, tiles.column_count - column);
    const Loop* row_loops = tiles.loop;
    const Loop* column_loops = row_loops + tiles.row_loops;
    const Place outer = within(column_loops + tiles.column_loops, tiles.outer_loops, block);

    if (!tiles.source_is_run)
        for (Index i = threadIdx.x; i < rows; i += blockDim.x) {
            const Place at = within(row_loops, tiles.row_loops, row + i);
            row_source[i] = at.real ? at.source : PADDING;
        }
    if (!tiles.target_is_run)
        for (Index i = threadIdx.x; i < columns; i += blockDim.x)
            column_target[i] = within(column_loops, tiles.column_loops, column + i).target;
    __syncthreads();

    const Unit* source = reinterpret_cast<const Unit*>(from) + tiles.source + outer.source;
    source += tiles.source_is_run ? static_cast<Offset>(row) * columns : column;
    if (COUNT > 1 && tiles.wide_reads)
        read_tile<BYTES, COUNT>(tiles, source, row_source, tile, rows, columns);
    else
        read_tile<BYTES, 1>(tiles, source, row_source, tile, rows, columns);
    __syncthreads();

    Unit* target = reinterpret_cast<Unit*>(to) + tiles.target + outer.target;
    target += tiles.target_is_run ? static_cast<Offset>(column) * rows : row;
    if (COUNT > 1 && tiles.wide_writes)
        write_tile<BYTES, COUNT>(tiles, target, column_target, tile, rows, columns);
    else
        write_tile<BYTES, 1>(tiles, target, column_target, tile, rows, columns);
}
