"""Other layouts over the same buffer: view steps, reshapes and slices."""
