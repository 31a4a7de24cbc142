"""Answers of questions: reports with presentations, tables, plain values and CI reports."""
