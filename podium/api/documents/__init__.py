"""Typed documents that Podium reads, and typed reports that it writes."""
