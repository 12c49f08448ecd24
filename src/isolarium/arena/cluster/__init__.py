"""Runs on the untrusted workers of a Dask cluster."""
