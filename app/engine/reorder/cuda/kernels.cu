// Transposes units of UNIT_BYTES bytes, a tile of 32 by 32 in shared memory per block.

typedef long long Long;
const int TILE = 32;
const int LOOPS = 32;

#if UNIT_BYTES == 1
typedef unsigned char Unit;
#elif UNIT_BYTES == 2
typedef unsigned short Unit;
#elif UNIT_BYTES == 4
typedef unsigned int Unit;
#else
typedef unsigned long long Unit;
#endif

// Offsets and strides are in units. Unit (row, column) is read at row * source_stride + column and
// written at column * target_stride + row. Each step of the outer loops is such a matrix.
struct Matrices {
    Long source, target;
    Long rows, columns, source_stride, target_stride;
    Long row_tiles, column_tiles;
    Long outer_loops;
    Long steps[LOOPS], source_strides[LOOPS], target_strides[LOOPS];  // innermost first
};

extern "C" __global__ void transpose(
    const unsigned char* from, unsigned char* to, const Matrices given
) {
    extern __shared__ uint4 shared[];
    Unit* tile = reinterpret_cast<Unit*>(shared);
    const int pitch = TILE + 1;  // so that the words of a row lie in different banks
    Long rest = blockIdx.x;
    const Long first_row = rest % given.row_tiles * TILE;
    rest /= given.row_tiles;
    const Long first_column = rest % given.column_tiles * TILE;
    rest /= given.column_tiles;
    const Unit* source = reinterpret_cast<const Unit*>(from) + given.source;
    Unit* target = reinterpret_cast<Unit*>(to) + given.target;
    for (int k = 0; k < given.outer_loops; ++k) {
        source += rest % given.steps[k] * given.source_strides[k];
        target += rest % given.steps[k] * given.target_strides[k];
        rest /= given.steps[k];
    }
    const int near = threadIdx.x % TILE;  // neighbours in memory on both sides
    for (int far = threadIdx.x / TILE; far < TILE; far += blockDim.x / TILE) {
        const Long row = first_row + far, column = first_column + near;
        if (row < given.rows && column < given.columns)
            tile[near * pitch + far] = source[row * given.source_stride + column];
    }
    __syncthreads();
    for (int far = threadIdx.x / TILE; far < TILE; far += blockDim.x / TILE) {
        const Long row = first_row + near, column = first_column + far;
        if (row < given.rows && column < given.columns)
            target[column * given.target_stride + row] = tile[far * pitch + near];
    }
}
