"""The kubelet of a real machine: its decisions, which `podium.kubelet.real.host` carries out."""
