"""A class of submissions: their qualification, one tournament, and a page for each student."""
