"""Subresources: what binding, evicting and scaling make of an object.

Each is a function from the stored object, what was posted and the time to what is to be stored,
or a refusal. The verbs store it; nothing here does.
"""
