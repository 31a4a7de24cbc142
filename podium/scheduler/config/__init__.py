"""KubeSchedulerConfiguration (`kubescheduler.config.k8s.io/v1`) as values.

A raw document becomes frozen dataclasses: strictly decoded, defaulted and validated as
kube-scheduler v1.36 does, with every fault reported at once. Which plugin implements which
extension point is not known here; `merge.expand` is told.
"""
