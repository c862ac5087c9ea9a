"""Rendered views for people. Each takes a console and a result, and prints; none computes a result."""
