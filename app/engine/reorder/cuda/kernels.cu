// Transposes units of UNIT_BYTES bytes, a tile in shared memory per block. READ units are read, and
// WRITE units written, as one word. A warp that reads or writes bytes one by one is slow.

typedef long long Long;
const int LOOPS = 32;
const int LOADS = 16;  // that a thread waits for at once

template <int BYTES> struct Words { typedef unsigned long long Word; };
template <> struct Words<1> { typedef unsigned char Word; };
template <> struct Words<2> { typedef unsigned short Word; };
template <> struct Words<4> { typedef unsigned int Word; };
typedef Words<UNIT_BYTES>::Word Unit;
typedef Words<UNIT_BYTES * READ>::Word ReadWord;
typedef Words<UNIT_BYTES * WRITE>::Word WrittenWord;

// Matrices whose columns are neighbours in the source and whose rows are neighbours in the target:
// one for each step of the outer loops, innermost first. Offsets and strides are in units. A row's
// stride in the source is near_row for each of the first 1 << row_bits rows, and far_row for each
// such group of rows; a column's in the target is given so too.
struct Matrices {
    Long source, near_row, far_row, target, near_column, far_column;
    Long rows, columns, row_bits, column_bits;
    Long row_tiles, column_tiles, tile_row_bits, tile_column_bits;  // tiles; the size of each
    Long zero_rows;  // how many of the rows are zeros, the last ones
    Long outer_loops, steps[LOOPS], source_strides[LOOPS], target_strides[LOOPS];
};

extern "C" __global__ void __launch_bounds__(THREADS) transpose(
    const unsigned char* from, unsigned char* to, const Matrices given
) {
    extern __shared__ uint4 shared[];
    Unit* tile = reinterpret_cast<Unit*>(shared);
    const unsigned row_bits = given.tile_row_bits, tile_rows = 1u << row_bits;
    const unsigned column_bits = given.tile_column_bits, tile_columns = 1u << column_bits;
    const unsigned rows = given.rows, columns = given.columns, units = tile_rows << column_bits;
    const unsigned near_rows = (1u << given.row_bits) - 1;
    const unsigned near_columns = (1u << given.column_bits) - 1;
    const unsigned read_rows = rows - unsigned(given.zero_rows);
    const unsigned pitch = tile_rows + 1;  // so that the words of a row lie in different banks
    unsigned rest = blockIdx.x;
    const unsigned first_row = rest % unsigned(given.row_tiles) << row_bits;
    rest /= unsigned(given.row_tiles);
    const unsigned first_column = rest % unsigned(given.column_tiles) << column_bits;
    rest /= unsigned(given.column_tiles);
    const Unit* source = reinterpret_cast<const Unit*>(from) + given.source;
    Unit* target = reinterpret_cast<Unit*>(to) + given.target;
    for (int k = 0; k < given.outer_loops; ++k) {
        const unsigned steps = given.steps[k];
        source += rest % steps * given.source_strides[k];
        target += rest % steps * given.target_strides[k];
        rest /= steps;
    }
    for (unsigned done = 0; done < units; done += LOADS * THREADS * READ) {
        ReadWord held[LOADS];  // all are asked for before the first one is waited for
#pragma unroll
        for (unsigned k = 0; k < LOADS; ++k) {
            const unsigned i = done + (threadIdx.x + k * THREADS) * READ;
            const unsigned row = first_row + (i >> column_bits);
            const unsigned column = first_column + (i & (tile_columns - 1));
            const Long offset = (row & near_rows) * given.near_row
                + (row >> given.row_bits) * given.far_row + column;
            held[k] = 0;
            if (i < units && row < read_rows && column < columns)
                held[k] = *reinterpret_cast<const ReadWord*>(source + offset);
        }
#pragma unroll
        for (unsigned k = 0; k < LOADS; ++k) {
            const unsigned i = done + (threadIdx.x + k * THREADS) * READ;
            Unit* const at = tile + (i & (tile_columns - 1)) * pitch + (i >> column_bits);
            for (unsigned j = 0; j < READ && i < units; ++j)
                at[j * pitch] = static_cast<Unit>(held[k] >> 8 * UNIT_BYTES * j);
        }
    }
    __syncthreads();
    for (unsigned i = threadIdx.x * WRITE; i < units; i += THREADS * WRITE) {
        const unsigned near = i & (tile_rows - 1), far = i >> row_bits;
        const unsigned row = first_row + near, column = first_column + far;
        if (row >= rows || column >= columns) continue;
        const Long offset = (column & near_columns) * given.near_column
            + (column >> given.column_bits) * given.far_column + row;
        WrittenWord word = 0;
        for (unsigned j = 0; j < WRITE; ++j)
            word |= static_cast<WrittenWord>(tile[far * pitch + near + j]) << 8 * UNIT_BYTES * j;
        *reinterpret_cast<WrittenWord*>(target + offset) = word;
    }
}
