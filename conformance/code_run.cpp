// Prints, for each descriptor of samples.o: its size in bytes, and its buffer of float32 after a
// reorder from plain memory that holds 1, 2, 3… in row-major order.
#include <cstdint>
#include <cstdio>
#include <exception>
#include <vector>
#include "dnnl.hpp"
using dnnl::memory;

struct Job {
    std::vector<int64_t> dims;
    int64_t elements; // of the whole buffer; -1: no reorder
    int64_t offset_bytes;
};
#include "jobs.inc"

#if defined(cpp)
memory::desc descriptor(int i);
static memory::desc described(int i) { return descriptor(i); }
#elif defined(c2)
extern "C" const dnnl_memory_desc_t *descriptor(int i);
static memory::desc described(int i) { return memory::desc(*descriptor(i)); }
#else
extern "C" dnnl_memory_desc_t descriptor(int i);
static memory::desc described(int i) { return memory::desc(descriptor(i)); }
#endif

int main() try {
    dnnl::engine engine(dnnl::engine::kind::cpu, 0);
    dnnl::stream stream(engine);
    for (size_t i = 0; i < jobs.size(); ++i) {
        const Job &job = jobs[i];
        memory::desc md = described((int)i);
        std::printf("%zu", md.get_size());
        if (job.elements >= 0) {
            memory::dims strides(job.dims.size());
            int64_t count = 1;
            for (size_t d = job.dims.size(); d-- > 0; count *= job.dims[d]) strides[d] = count;
            std::vector<float> plain(count), buffer(job.elements + 1024);
            for (int64_t k = 0; k < count; ++k) plain[k] = (float)(k + 1);
            memory::desc from(job.dims, memory::data_type::f32, strides);
            memory source(from, engine, plain.data());
            memory target(md, engine, (char *)buffer.data() + job.offset_bytes);
            dnnl::reorder(source, target).execute(stream, source, target);
            stream.wait();
            for (int64_t k = 0; k < job.elements; ++k) std::printf(" %g", buffer[k]);
        }
        std::printf("\n");
    }
} catch (const std::exception &error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
}
