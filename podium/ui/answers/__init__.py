"""Answers: the reports that questions come to, which show themselves, and are tables and files."""
