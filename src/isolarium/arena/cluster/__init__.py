"""A run on the workers of a Dask cluster, none of which is trusted."""
