"""Numbers of a run over time, their plots and tables."""
