"""HTTP for the embedded API: connections, TLS, users, streams of watches.

What requests mean is up to `podium.apiserver.requests`, and what answers them is a `Backend`; this
package brings the two together over the network, safely.
"""
