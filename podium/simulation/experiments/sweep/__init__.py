"""Sweeps over settings: their file, their trials and journal, and their report."""
