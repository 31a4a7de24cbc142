"""What state machines and drivers say to each other: events in, effects out, and when to wake.

The scheduler, every controller and every node agent is a machine. It does no I/O and has no clock;
a driver hands it events together with the time, and the dispatcher carries its effects out.
"""
