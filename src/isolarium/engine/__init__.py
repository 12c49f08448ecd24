"""Isolarium as an engine for other programs, in UGI, the Universal Game Interface: `isolarium engine`."""
