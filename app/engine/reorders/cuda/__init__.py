"""The backend for a GPU: CUDA kernels that CuPy compiles."""
