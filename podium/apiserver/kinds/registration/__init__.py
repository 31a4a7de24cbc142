"""Registrations of kinds: defaults, validation, strategies and selectable fields."""
