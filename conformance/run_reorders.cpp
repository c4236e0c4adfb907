// Runs the reorders of reorders.inc with float32, and prints to stderr the bytes of both sides.
#include <cstdio>
#include <exception>
#include <vector>
#include "dnnl.hpp"
using dnnl::memory;
using tag = memory::format_tag;

struct Reorder {
    memory::dims sizes;
    tag from, to;
};
static const std::vector<Reorder> reorders = {
#include "reorders.inc"
};

int main() try {
    dnnl::engine engine(dnnl::engine::kind::cpu, 0);
    dnnl::stream stream(engine);
    for (const Reorder &each : reorders) {
        memory::desc from(each.sizes, memory::data_type::f32, each.from);
        memory::desc to(each.sizes, memory::data_type::f32, each.to);
        memory source(from, engine), target(to, engine);
        dnnl::reorder(source, target).execute(stream, source, target);
        stream.wait();
        std::fprintf(stderr, "%zu %zu\n", from.get_size(), to.get_size());
    }
} catch (const std::exception &error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
}
