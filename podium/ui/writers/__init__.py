"""Writers of presentations and results: for terminals, Markdown, HTML and CI systems."""
