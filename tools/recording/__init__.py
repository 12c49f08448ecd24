"""The parts of `record_outputs.py`: cases, how they run, and how their outputs are made comparable.

Nothing here imports Isolarium, so that one checkout can record any other.
"""
