"""The backend for the GPU: CuPy's strided copies and one kernel. It has not run on a card yet."""
