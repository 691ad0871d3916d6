"""A second implementation of load over weeks and TRIMP, with weighted means from their closed form."""

import math
import statistics

from signal_steps import ordered


def over_days(task):
    x = task["loads"]
    out = []
    for i in range(len(x)):
        known = [q for q in x[:i + 1] if q is not None]
        row = []
        for n in (7, 28):
            keep = 1 - 2 / (n + 1)
            if not known:
                row.append(None)
                continue
            weights = [keep ** (len(known) - 1)] + [(1 - keep) * keep ** (len(known) - 1 - j) for j in range(1, len(known))]
            row.append(math.fsum(w * q for w, q in zip(weights, known)))
        week = x[i - 6:i + 1] if i >= 6 else [None]
        if None in week:
            row += [None, None, None]
        else:
            sd = statistics.stdev(week)
            mean = math.fsum(week) / 7
            flat = not sd > 1e-12 * mean
            row += [math.fsum(week), None if flat else mean / sd, None if flat else 7 * mean * mean / sd]
        out.append(row)
    return out


def of_matches(task):
    """For each day: the share of the last five long matches, in percent, and the ratio of the weighted means."""
    sessions = task["sessions"]
    last = max(s["day"] for s in sessions)
    first = min(s["day"] for s in sessions)
    loads = []
    for day in range(first, last + 1):
        own = [s["load"] for s in sessions if s["day"] == day]
        loads.append(None if None in own else math.fsum(own))
    means = over_days({"loads": loads})
    out = []
    for i, load in enumerate(loads):
        long = [s for s in sessions if s["minutes"] is not None and s["minutes"] >= 75 and s["load"] is not None and s["day"] <= first + i]
        # sorted is stable: matches of one day stay in their order
        last_five = [s["load"] for s in sorted(long, key=lambda s: s["day"])[-5:]]
        total = math.fsum(last_five)
        percent = None if load is None or total == 0 else 100 * load * len(last_five) / total
        acute, chronic = means[i][:2]
        ratio = None if i < 27 or acute is None or not chronic else acute / chronic
        out.append([percent, ratio])
    return out


def trimp(task):
    rows = ordered(task["t"], task["v"], task["hr"])
    heard = [(r[0], r[2]) for r in rows if 30 <= r[2] <= 240]
    m = task["method"]
    total = held = 0
    for (a, bpm), b in zip(heard, [h[0] for h in heard[1:]] + [rows[-1][0] if rows else 0]):
        minutes = min(b - a, 5000) / 60000
        held += minutes
        if m["method"] == "banister":
            r = min(1, max(0, (bpm - m["restHr"]) / (m["maxHr"] - m["restHr"])))
            a0, b0 = (0.64, 1.92) if m["sex"] == "male" else (0.86, 1.67)
            total += minutes * r * a0 * math.exp(b0 * r)
        elif m["method"] == "edwards":
            total += minutes * min(5, max(0, 100 * bpm // m["maxHr"] // 10 - 4))
        else:
            total += minutes * (1 + (bpm >= m["thresholds"][0]) + (bpm >= m["thresholds"][1]))
    return total if held > 0 else None
