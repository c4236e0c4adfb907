"""The backend for the GPU: CUDA kernels, compiled by CuPy."""
