"""What takes time: tasks for worker processes, and the processes that play runs and write reports."""
