"""The parts of `record_outputs.py`: cases, how they are run, and how what they say is made comparable.

Nothing here imports Isolarium: a recording of any checkout is made from any other.
"""
