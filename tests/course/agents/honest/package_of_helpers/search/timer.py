from . import errors


class Timer:
    def __init__(self, time_left, threshold=12.0):
        self.time_left, self.threshold = time_left, threshold

    def check(self):
        if self.time_left() < self.threshold:
            raise errors.SearchTimeout
