"""The kubelet of a real host, whose decisions `podium.kubelet.real.host` carries out."""
