"""Isolarium as a program that others talk to, in UGI, the Universal Game Interface: what `isolarium engine` does."""
