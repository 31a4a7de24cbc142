"""The in-tree plugins of kube-scheduler v1.36, a file each; `podium.profile` names them all."""
