"""The lint rules by subject; the docstring of each rule describes the fault that it finds."""
