"""Configuration of Sphinx for the documentation site."""

project = "Podium"
html_title = "Podium"
extensions = ["myst_parser"]
# Links lead to headings by the anchors that code forges give them.
myst_heading_anchors = 6
html_theme = "furo"
html_show_copyright = False
html_show_sphinx = False
html_copy_source = False
