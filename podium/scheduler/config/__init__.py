"""KubeSchedulerConfiguration (`kubescheduler.config.k8s.io/v1`) and SchedulerOptions as values.

Documents are decoded strictly, defaulted and validated as kube-scheduler v1.36 does, with every
fault reported at once.
"""
