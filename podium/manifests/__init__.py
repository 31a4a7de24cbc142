"""Reading objects from files, directories and streams, as kubectl reads them.

Text becomes documents (`json_text`, and the API server's `yaml_text`), documents become objects
(`objects`), and every fault of every file is reported in one `ManifestError`.
"""

from podium.manifests.objects import Loaded
from podium.manifests.problems import ManifestError, Problem, Source
from podium.manifests.reading import File, Manifests, read_sources

__all__ = ["File", "Loaded", "ManifestError", "Manifests", "Problem", "Source", "read_sources"]
