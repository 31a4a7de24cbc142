"""The timeline of a cluster: an entry for each change that matters to a reader."""
