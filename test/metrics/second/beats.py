"""A second implementation of RR intervals in time, and of speeds and ranges of heart rates on the same clock."""

from bisect import bisect_left
from itertools import accumulate

from signal_steps import ordered


def tolerance(times):
    """Two steps if the last two records with different times are less than a second apart, otherwise 3 s."""
    for a, b in zip(times[-2::-1], times[:0:-1]):
        if a != b:
            return 2 * abs(b - a) if abs(b - a) < 1000 else 3000
    return 3000


def placed(task):
    """Intervals between two records are one group. Every series is its first beat plus the running sum of its intervals."""
    times, unused, group = [], 0, []
    series = []                 # [first beat, intervals]
    is_open = False

    def close():
        nonlocal group, is_open
        if group:
            missing = is_open and times[-1] - (series[-1][0] + sum(series[-1][1]) + sum(group)) > tolerance(times)
            if not is_open or missing:
                series.append([times[-1] - sum(group), []])
            series[-1][1].extend(group)
            is_open = True
        group = []

    for kind, value in task["events"]:
        if kind == "record":
            close()
            times.append(value)
            if is_open and series[-1][0] + sum(series[-1][1]) - value > tolerance(times):
                is_open = False
        elif kind == "interval" and times and 1 <= value <= 60000:
            group.append(value)
        else:
            unused += kind == "interval"
            close()
            is_open = False
    close()
    beats = []
    for first, intervals in series:
        beats += [[ms, rr] for ms, rr in zip(accumulate([first] + intervals), [0] + intervals)]
    return {"beats": beats, "unused": unused}


def speeds(task):
    rows = [(t, v) for t, v, _ in ordered(task["t"], task["v"], task["hr"]) if v >= 0]
    times = [t for t, _ in rows]
    out = []
    for ms in task["at"]:
        i = bisect_left(times, ms)
        if i < len(rows) and times[i] == ms:
            out.append(rows[i][1] / 1000)
        elif 0 < i < len(rows) and times[i] - times[i - 1] <= 1000:
            (a, v), (b, w) = rows[i - 1], rows[i]
            out.append((v * (b - ms) + w * (ms - a)) / (b - a) / 1000)
        else:
            out.append(None)
    return out


def in_range(task):
    """Returns for each row whether the latest heart rate, at most 5 s old, is in the range."""
    out, bpm, heard = [], 0, None
    for t, _, hr in ordered(task["t"], task["v"], task["hr"]):
        if 30 <= hr <= 240:
            bpm, heard = hr, t
        out.append(heard is not None and t - heard < 5000 and task["low"] <= bpm <= task["high"])
    return out
