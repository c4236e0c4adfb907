"""Arrays of zarr v3: their layouts, and reorders that need only a box at a time.

A chunk grid is the outer digits of a layout, the ``transpose`` codec the order inside a chunk. All
reading and writing is zarr's, all distribution dask's.
"""
