"""From raw documents to values: strict decoding, defaulting and validation in one pass.

Each module reads one part. A reader never stops at a fault: it notes the fault in `Findings`,
goes on with a value that raises no further ones, and the caller refuses the whole if there were
any.
"""
