"""The controllers of claims and volumes: binding, provisioning, protection."""
