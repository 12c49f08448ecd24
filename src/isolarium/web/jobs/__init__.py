"""Work in other processes.

Jobs in worker processes, and commands that play runs and write reports.
"""
