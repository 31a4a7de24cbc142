"""The kubelet of a real machine, whose decisions `podium.kubelet.real.host` carries out."""
