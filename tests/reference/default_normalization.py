"""DefaultNormalizeScore, one score at a time."""


def normalize(scores: list[int], reverse: bool) -> list[int]:
    greatest = 0
    for score in scores:
        greatest = max(greatest, score)
    result = []
    for score in scores:
        if greatest == 0:
            result.append(100 if reverse else 0)
            continue
        scaled = 100 * score // greatest
        result.append(100 - scaled if reverse else scaled)
    return result
