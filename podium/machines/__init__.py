"""The protocol between state machines and their drivers: events, effects and wake-up times.

The scheduler, every controller and every kubelet is a machine. It does no I/O and has no clock:
a driver passes events and the time to it, and a dispatcher carries its effects out.
"""
