"""Other layouts over the same buffer: what view steps and slices consist of, and reshapes."""
