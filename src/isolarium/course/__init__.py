"""Agents written for a course's `isolation` package: play and grade them.

`modules/first` has the modules that agents of the course's first two generations import, `modules/later` those of the
later project on 9x11. They are read by another Python process and import nothing from Isolarium.
"""
