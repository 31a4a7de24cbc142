"""What kube-apiserver does to objects before it stores them: defaulting, admission, validation."""
