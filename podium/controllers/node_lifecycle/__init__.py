"""The node lifecycle controller: monitors heartbeats, and taints nodes by their conditions."""
