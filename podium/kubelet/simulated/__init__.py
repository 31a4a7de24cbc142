"""The kubelets of simulated nodes, whose pods behave as scripted by annotations."""
