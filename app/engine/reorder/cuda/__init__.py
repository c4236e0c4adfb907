"""The backend for the GPU: CuPy's strided copies, and one kernel for transpositions."""
