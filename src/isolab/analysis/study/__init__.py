"""What a study found: its parts' figures beside the published ones, as tables, a page and data."""
