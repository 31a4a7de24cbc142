"""Reading of objects from files, directories and streams, as kubectl reads them.

Text becomes documents (`json_text`, and the API server's `yaml_text`), documents become objects
(`manifest_objects`), and one `ManifestError` reports all faults of all files.
"""

from podium.cluster.manifests.manifest_objects import Loaded
from podium.cluster.manifests.manifest_sources import File, Manifests, read_sources
from podium.cluster.manifests.problems import ManifestError, Problem, Source

__all__ = ["File", "Loaded", "ManifestError", "Manifests", "Problem", "Source", "read_sources"]
