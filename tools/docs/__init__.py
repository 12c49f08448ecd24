"""What the pages of `docs` show of the evidence."""
