"""Games between two people who share a link.

The rules of a match, its event log, and the live matches.
"""
