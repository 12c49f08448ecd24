"""Scripts outside the package: run them from the repository's root, as `python -m tools.NAME`.

- `benchmarks`: performance on this machine; `make bench` runs them all.
- `proofs`: evidence that takes too long for the tests; `make prove` writes it to `docs/evidence`.
- `fill_docs`: inserts the evidence and the pictures into the pages of `docs`, and checks that they are up to date.
- `build_site`: builds a site from `docs`; `make docs`.
- `record_outputs`: records the behaviour of every command, to compare two versions of Isolarium.
- `measure_source`: counts files, lines and imports.

The package never imports from here.
"""
