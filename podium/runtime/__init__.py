"""What touches the world: clocks, files, calls. Everything above is told, everything below pure."""
