"""Imports and exports that were asked for by REST: each is a command in a process of its own.

It takes no time of the event loop, and what fills its memory ends that process alone.
"""
