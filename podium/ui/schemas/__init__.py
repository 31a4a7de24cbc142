"""JSON Schemas of the documents that Podium reads and of the reports that it writes.

They are made of the types themselves. `docs/schemas` has them as files, for editors and for those
who read reports; a test holds the files to the types.
"""

from podium.ui.schemas.schema_catalogue import EVERY_NAME, NAMES, schema

__all__ = ["EVERY_NAME", "NAMES", "schema"]
