"""Presentations of a plan: sentences, tables and charts."""
