"""Drivers, which run state machines: they deliver events and the time, and carry out effects."""
