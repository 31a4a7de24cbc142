"""What a kind registers: columns, defaults, status, selectable fields and rules for updates."""
