"""The verbs of the API: how each derives the new object and the response."""
