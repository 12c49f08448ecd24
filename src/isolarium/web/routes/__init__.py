"""What is served, a file for each page's part of the API, and the pages themselves."""
