"""Inputs of questions about a cluster: state, changes, configuration, and where objects are."""
