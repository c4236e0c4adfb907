"""The backend of compiled kernels, which turn rows in vector registers."""
