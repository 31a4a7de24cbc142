"""Options that commands share, and completion of their values."""
