"""Writers of presentations and results: terminal, Markdown, HTML, and formats of CI systems."""
