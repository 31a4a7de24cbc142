"""Gangs: pods of which all are placed, or at least so many, or none."""
