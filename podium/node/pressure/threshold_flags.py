"""Thresholds as the kubelet's flags have them: `memory.available<1Gi,nodefs.available<10%`.

`--eviction-hard` and `--eviction-soft` separate signals and values by `<`,
`--eviction-soft-grace-period` and `--eviction-minimum-reclaim` by `=`.
"""

from podium.node.pressure.threshold_parsing import Statements, ThresholdError

BELOW, EQUALS = "<", "="


def parse_flag(text: str, separator: str) -> Statements:
    """What a flag says of each signal; of several statements about one the last counts.

    Args:
        text: the flag's value.
        separator: `BELOW` or `EQUALS`.

    Raises:
        ThresholdError: a statement doesn't have the separator; the message is the kubelet's.
    """
    found = {}
    for pair in filter(None, text.split(",")):
        signal, separated, value = pair.partition(separator)
        if not separated:
            raise ThresholdError(f"malformed pair, expect string{separator}string")
        found[signal.strip()] = value.strip()
    return found
