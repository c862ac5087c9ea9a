"""The starter collection, our own demo papers, and the loopback arXiv that serves both.

Nothing that production runs imports this room.
"""
