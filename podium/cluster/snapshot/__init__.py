"""Exports of a real cluster's state for later plans, anonymized on request."""
