"""Agents written for a course's `isolation` package: play and grade them.

Agents of the course's first two generations import the modules in `modules/first`; agents of the
later project, on 9x11, import those in `modules/later`. A separate Python process runs these
modules, and they import nothing from Isolarium.
"""
