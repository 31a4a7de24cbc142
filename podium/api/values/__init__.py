"""Values of fields: quantities, durations, times, schedules, names and counts."""
