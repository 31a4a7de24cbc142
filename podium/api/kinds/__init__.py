"""The kinds of objects: built-in ones, custom ones, and those that decisions depend on."""
