"""Scripts outside the package: run from the repository's root, as `python -m tools.NAME`.

- `benchmarks`: what things take, on this machine; `make bench` runs them all.
- `proofs`: evidence that takes too long for the tests; `make prove` plays it into `docs/evidence`.
- `fill_docs`: puts the evidence and the pictures into the pages of `docs`, and checks that they are there.
- `build_site`: makes a site of `docs`; `make docs`.
- `record_outputs`: records what every command does, to compare two versions of Isolarium.
- `measure_source`: counts files, lines and imports.

Nothing of the package and no test imports anything from here.
"""
