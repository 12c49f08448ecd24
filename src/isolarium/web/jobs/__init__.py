"""Work that runs outside the server's process.

Worker processes execute jobs; commands play runs and write reports.
"""
