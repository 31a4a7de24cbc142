"""Answers of questions: reports that convert to presentations, tables, values and CI reports."""
