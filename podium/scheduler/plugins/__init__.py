"""The in-tree plugins of kube-scheduler v1.36, a file each; `plugin_registry` lists them."""
