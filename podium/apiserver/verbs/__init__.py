"""The verbs of the API: what each does to what is stored, and what it answers."""
