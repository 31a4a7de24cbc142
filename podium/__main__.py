"""`python -m podium`: the command, where it isn't on the path."""

from podium.ui.command_line.main import app_entry

app_entry()
