"""How fast everything is, measured: what `isolarium bench` prints.

Speeds are nodes by the searching thread's own time, so that other work on the machine disturbs them little, and the
best of a few rounds. What is compared is measured in turns, round by round, so that a slow moment hits all of it.

The plain-Python student's alpha-beta stands here, beside what it is compared with, and not among the scripts in
`tools/benchmarks/`: `isolarium bench` must find it in an installed package.
"""
