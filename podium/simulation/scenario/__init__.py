"""The files of scenarios.

Errors name the file and the field, such as `spec.steps[3].drain.node`, and the accepted values.
Names of manifests are relative to the directory of the file.
"""
