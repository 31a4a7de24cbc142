"""Values that fields hold: quantities, durations, times, schedules, names and counts."""
