// Calls CUTLASS's layout classes, one class at a time; compiled by cutlass_library.py.
//
// Built with -fsanitize=signed-integer-overflow, and with the handlers below in place of its
// library, so that an overflow of int32 is reported as a result.

#include <cstdint>
#include <cstring>

#include "cutlass/layout/matrix.h"
#include "cutlass/layout/tensor.h"
#include "cutlass/layout/vector.h"

namespace layout = cutlass::layout;

static bool volatile overflowed;  // the compiler does not see that the handlers below write it

extern "C" {
void __ubsan_handle_add_overflow(void *, void *, void *) { overflowed = true; }
void __ubsan_handle_sub_overflow(void *, void *, void *) { overflowed = true; }
void __ubsan_handle_mul_overflow(void *, void *, void *) { overflowed = true; }
void __ubsan_handle_negate_overflow(void *, void *) { overflowed = true; }
}

namespace {

struct Question {
  int32_t const *extent;
  int64_t count;
  int32_t const *coordinates;  // count rows of the class's rank, in the class's own order
  int64_t *offsets;
  int64_t *capacity;
};

constexpr int kAnswered = 0, kOverflowed = 1, kUnknown = 2;

template <typename Layout>
typename Layout::TensorCoord coordinate(int32_t const *values) {
  typename Layout::TensorCoord made;
  for (int d = 0; d < Layout::kRank; ++d) {
    made[d] = values[d];
  }
  return made;
}

template <typename Layout>
int answer(Question const &q) {
  overflowed = false;
  auto const extent = coordinate<Layout>(q.extent);
  Layout const packed = Layout::packed(extent);
  for (int64_t i = 0; i < q.count; ++i) {
    q.offsets[i] = packed(coordinate<Layout>(q.coordinates + i * Layout::kRank));
  }
  bool const offsets_overflowed = overflowed;
  *q.capacity = packed.capacity(extent);
  return offsets_overflowed ? kOverflowed : kAnswered;
}

template <template <int> class Layout, int... Interleaves>
int interleaved(int x, Question const &q) {
  int status = kUnknown;
  (void)((x == Interleaves && (status = answer<Layout<Interleaves>>(q), true)) || ...);
  return status;
}

template <template <int> class Layout>
int any_interleave(int x, Question const &q) {
  return interleaved<Layout, 1, 2, 3, 4, 5, 6, 7, 8, 12, 16, 32, 64>(x, q);
}

}  // namespace

// Returns 0, or 1 if the offsets overflow, or 2 if there is no such class or interleave.
extern "C" int cutlass_offsets(char const *name, int x, int32_t const *extent, int64_t count,
                               int32_t const *coordinates, int64_t *offsets, int64_t *capacity) {
  Question const q{extent, count, coordinates, offsets, capacity};
  auto const is = [name](char const *other) { return std::strcmp(name, other) == 0; };
  if (is("RowMajor")) return answer<layout::RowMajor>(q);
  if (is("ColumnMajor")) return answer<layout::ColumnMajor>(q);
  if (is("PackedVectorLayout")) return answer<layout::PackedVectorLayout>(q);
  if (is("TensorNCHW")) return answer<layout::TensorNCHW>(q);
  if (is("TensorNHWC")) return answer<layout::TensorNHWC>(q);
  if (is("TensorNDHWC")) return answer<layout::TensorNDHWC>(q);
  if (is("RowMajorInterleaved")) return any_interleave<layout::RowMajorInterleaved>(x, q);
  if (is("ColumnMajorInterleaved")) return any_interleave<layout::ColumnMajorInterleaved>(x, q);
  if (is("TensorNCxHWx")) return any_interleave<layout::TensorNCxHWx>(x, q);
  if (is("TensorCxRSKx")) return any_interleave<layout::TensorCxRSKx>(x, q);
  return kUnknown;
}
