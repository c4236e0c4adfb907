"""Reorders of zarr arrays in processes of this machine, beside dask alone."""
