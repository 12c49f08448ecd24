class SearchTimeout(Exception):
    pass
