"""The parts of `record_outputs.py`: reading cases, running them, and normalising their outputs.

Nothing here imports Isolarium: a recording of any checkout is made from any other.
"""
