"""The scheduling cycle of a pod, from PreFilter to PostFilter, and its binding cycle."""
