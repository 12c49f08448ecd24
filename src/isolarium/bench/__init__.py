"""The benchmarks of `isolarium bench`.

Speeds are in nodes per second of the searching thread's own time, so that other work on the
machine hardly affects them. The best of several rounds is reported. The compared programs take
turns in each round, so that a slow moment affects all of them.

The student's plain-Python alpha-beta is here rather than in `tools/benchmarks/`, because `isolarium
bench` needs it in an installed package.
"""
