"""The Deployment controller: rollouts of templates by ReplicaSets that grow and shrink."""
