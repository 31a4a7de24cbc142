"""The documentation as a site: its menu, and the pages that are made of code and examples."""
