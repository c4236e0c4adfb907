"""Where calls are worked on: one budget, threads for small calls, processes for others."""
