"""Reading of objects from files, directories and streams, as kubectl reads them.

Text becomes documents (`json_text`, and the API server's `yaml_text`), documents become objects
(`manifest_objects`), and one `ManifestError` reports all faults of all files.
"""
