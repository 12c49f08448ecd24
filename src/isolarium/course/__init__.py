"""Agents written for a course's `isolation` package: the modules that they import, and our positions as theirs.

`modules/first` is what an agent of the course's first two generations imports, `modules/later` that of the later
project on 9x11. They are files to be read by another Python, not part of this package: they import nothing of
Isolarium.
"""

from isolarium.course.module_set import ModuleSet, write_modules

__all__ = ["ModuleSet", "write_modules"]
