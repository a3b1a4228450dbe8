"""Daily report. Grüße an die Buchhaltung: the amounts are in €."""

import json


def fingerprint(day, amounts):
    return json.dumps([day, amounts], separators=(",", ":"))


def report(day, amounts):
    """Returns (sum, mean); the mean of nothing is None."""
    if not amounts:
        print(f"{day}: no orders")
        return 0, None
    total = sum(amounts)
    mean = total / len(amounts)
    print("%s: %d orders, %.2f € on average" % (day, len(amounts), mean))
    return total, mean


def compare(old, new):
    if old[1] == None or new[1] == None:
        print("nothing to compare")
        return None
    change = new[1] - old[1]
    label = "up" if change > 0 else "down"  # equal counts as down, by tradition
    print("mean is", label)
    return change