"""Drivers: they hand machines events and time, and carry out what machines ask for."""
