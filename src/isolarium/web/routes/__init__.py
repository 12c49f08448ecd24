"""The routes of the API with their schemas, and the pages' own files."""
