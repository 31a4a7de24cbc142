"""The API server: kube-apiserver's verbs, storage, defaulting, admission, validation and HTTP."""
