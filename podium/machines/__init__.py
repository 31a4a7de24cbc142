"""The protocol between state machines and their drivers: events, effects and wake-up times.

The scheduler, every controller and every kubelet is a machine, without I/O and clock.
"""
