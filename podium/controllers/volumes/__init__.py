"""Volumes: claims are bound, volumes made and reclaimed, and both kept while they are used."""
