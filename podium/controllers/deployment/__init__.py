"""The Deployment controller: rollouts of pod templates by ReplicaSets."""
