"""The backend of compiled kernels: rows turned in vector registers."""
