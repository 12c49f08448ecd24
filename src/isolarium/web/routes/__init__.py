"""The routes of the API with their schemas, one file for each page, and the pages' own files."""
