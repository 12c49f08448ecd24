"""Work in other processes: jobs in worker processes, and commands that play runs and write reports."""
