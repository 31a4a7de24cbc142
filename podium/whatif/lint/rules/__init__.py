"""The lint rules, by subject; the docstring of a check states the fault that it finds."""
