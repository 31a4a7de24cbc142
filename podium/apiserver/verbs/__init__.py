"""The verbs of the API, each from the stored object to the next one and the answer."""
