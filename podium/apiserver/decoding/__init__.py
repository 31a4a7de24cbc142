"""Decoding: from bodies of requests to objects in their stored form."""
