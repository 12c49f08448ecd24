"""Generators of pages, tables and pictures of the documentation."""
