"""Computes the table of a squad a second time, from docs/metrics.md and docs/squad.md and not from the product.

    asi encode --demo --squad 14 -o match
    asi convert match --out-dir csv
    python3 independent.py match csv > independent.csv

Reads roster.csv and periods.csv (UTC) of the first folder and the CSVs of the second, whose names begin with the serial number.
Speeds are whole mm/s and times whole ms, so that sums are exact. Standard library only.
"""

import csv
import sys
from datetime import datetime, timezone
from itertools import groupby
from math import floor, inf
from pathlib import Path

TOP, STILL, SPRINT, HIGH_SPEED = 12_500, 200, 7_000, 5_500
CLASSES = [0, 2_000, 4_000, 5_500, 7_000, TOP]
EFFORT_PEAK = 2.0
B = (0.264493773259, 0.528987546517, 0.264493773259)
A = (-0.115976527133, 0.173951620167)

COLUMNS = (
    "player period start end minutes distance_m rate_m_per_min high_speed_m sprints top_speed_km_per_h accelerations "
    "decelerations hr_mean_bpm hr_max_bpm trimp sprint_m period_minutes share_with_data share_with_hr too_fast_rows"
).split()


def half_up(numerator, denominator):
    """Rounds a quotient of two non-negative integers half up to an integer."""
    return (2 * numerator + denominator) // (2 * denominator)


def thousandths(value):
    return value / 1000


def rounded(value, decimals):
    return floor(value * 10**decimals + 0.5) / 10**decimals


# ---------------------------------------------------------------------------------------------- the files

def samples_of(path):
    """(time, speed or None, heart rate or None) of each row."""
    with open(path, newline="") as file:
        for row in csv.DictReader(file):
            whole, _, part = row["timestamp"].partition(".")
            metres, _, mm = row["speed"].partition(".")
            speed = int(metres) * 1000 + int(mm.ljust(3, "0")[:3]) if row["speed"] else None
            time = int(whole) * 1000 + int(part.ljust(3, "0")[:3] or 0)
            yield time, speed, int(row["hr"]) if row["hr"] else None


def squad_of(folder, csvs):
    by_serial = {path.name.split("_")[0]: path for path in sorted(csvs.glob("*.csv"))}
    with open(folder / "roster.csv", newline="") as file:
        for row in csv.DictReader(file):
            recordings = [list(samples_of(by_serial[one])) for one in row["serial"].split() if one in by_serial]
            if recordings:
                yield row["player"], int(row["max_hr"]) if row["max_hr"] else None, recordings


def periods_of(folder, day):
    def instant(clock):
        if "T" in clock:
            return round(datetime.fromisoformat(clock).timestamp() * 1000)
        hours, minutes, seconds = (int(part) for part in clock.split(":"))
        return day + (hours * 3600 + minutes * 60 + seconds) * 1000

    periods = {}
    with open(folder / "periods.csv", newline="") as file:
        for row in csv.DictReader(file):
            period = periods.setdefault(row["period"], {"all": [], "own": {}})
            times = [] if row["start"] == "-" else [(instant(row["start"]), instant(row["end"]))]
            if row["player"]:
                period["own"].setdefault(row["player"], []).extend(times)
            else:
                period["all"] = times
    return periods


# ---------------------------------------------------------------------------------------------- the figures

def median(values):
    """Twice the median, which is the mean of the two middle values for an even number."""
    values = sorted(values)
    n = len(values)
    return values[(n - 1) // 2] + values[n // 2]


def segments_of(points):
    twice_step = median([b[0] - a[0] for a, b in zip(points, points[1:])])
    gap = max(2000, 5 * twice_step)
    segments, current = [], [points[0]]
    for a, b in zip(points, points[1:]):
        if 2 * (b[0] - a[0]) > gap:
            segments.append(current)
            current = []
        current.append(b)
    return twice_step, segments + [current]


def despiked(segment):
    if len(segment) < 3:
        return segment
    inner = [(q[0], sorted((p[1], q[1], r[1]))[1]) for p, q, r in zip(segment, segment[1:], segment[2:])]
    return [segment[0], *inner, segment[-1]]


def runs(flags):
    at = 0
    for flag, group in groupby(flags):
        n = sum(1 for _ in group)
        if flag:
            yield [at, at + n]
        at += n


def way(pieces):
    """Twice the distance in mm/s times ms. A piece is (start, end, twice the mean speed)."""
    return sum((b - a) * m for a, b, m in pieces)


def metres(twice):
    """With three decimals."""
    return thousandths(half_up(twice, 2000))


def once(x):
    rest = x[0] * sum(B) / (1 + sum(A))
    u1 = u2 = x[0]
    y1 = y2 = rest
    out = []
    for u in x:
        y = B[0] * u + B[1] * u1 + B[2] * u2 - A[0] * y1 - A[1] * y2
        u1, u2, y1, y2 = u, u1, y, y1
        out.append(y)
    return out


def low_passed(x):
    pad = min(9, len(x) - 1)
    x = [2 * x[0] - x[i] for i in range(pad, 0, -1)] + x + [2 * x[-1] - x[-1 - i] for i in range(1, pad + 1)]
    y = once(once(x)[::-1])[::-1]
    return y[pad:len(y) - pad]


def resampled(segment):
    out, j, t = [], 0, segment[0][0]
    while t <= segment[-1][0]:
        while j + 1 < len(segment) and segment[j + 1][0] <= t:
            j += 1
        t0, v0 = segment[j]
        t1, v1 = segment[min(j + 1, len(segment) - 1)]
        out.append((v0 if t == t0 else v0 + (v1 - v0) * (t - t0) / (t1 - t0)) / 1000)
        t += 100
    return out


def efforts(segments):
    """The numbers of accelerations and decelerations."""
    counts = [0, 0]
    for segment in segments:
        if segment[-1][0] - segment[0][0] < 1000:
            continue
        s = low_passed(resampled(segment))
        change = [(s[1] - s[0]) * 10, *((q - p) * 5 for p, q in zip(s, s[2:])), (s[-1] - s[-2]) * 10]
        for direction in (0, 1):
            d = change if direction == 0 else [-x for x in change]
            for i, j in runs([0.5 <= x <= 9 for x in d]):
                counts[direction] += j - 1 - i >= 5 and max(d[i:j]) >= EFFORT_PEAK
    return counts


def sprints_of(segments, pieces_of):
    number, distance = 0, 0
    for segment, pieces in zip(segments, pieces_of):
        found = list(runs([m >= 2 * SPRINT for _, _, m in pieces]))
        for a, b in zip(found, found[1:]):
            if segment[b[0]][0] - segment[a[1]][0] < 500:
                b[0], a[1] = a[0], None
        for i, j in (run for run in found if run[1] is not None):
            if segment[j][0] - segment[i][0] >= 1000:
                number += 1
                distance += way(pieces[i:j])
    return number, metres(distance)


def figures(recordings, max_hr, intervals, period_ms):
    inside = (lambda t: True) if intervals is None else (lambda t: any(a <= t < b for a, b in intervals))
    own = [[s for s in recording if inside(s[0])] for recording in recordings]
    samples = sorted((s for recording in own for s in recording), key=lambda s: s[0])
    if not samples:
        return {"period_minutes": rounded(period_ms / 60_000, 4), "share_with_data": 0}
    points = [(t, v) for t, v, _ in samples if v is not None and v <= TOP]
    beats = [(t, hr) for t, _, hr in samples if hr is not None and 30 <= hr <= 240]
    used = sorted([t for t, _ in points] + [t for t, _ in beats])
    twice_step, segments = segments_of(points)
    segments = [despiked(segment) for segment in segments]
    pieces_of = [
        [(a[0], b[0], a[1] + b[1] if a[1] + b[1] >= 2 * STILL else 0) for a, b in zip(segment, segment[1:])]
        for segment in segments
    ]
    pieces = [piece for some in pieces_of for piece in some]
    tenths = 0
    for low, high in zip(CLASSES, CLASSES[1:]):
        ms = sum(b - a for a, b, m in pieces if 2 * low <= m and (m < 2 * high or high == TOP))
        tenths += half_up(ms, 100)
    distance = metres(way(pieces))
    number, sprint_m = sprints_of(segments, pieces_of)
    accelerations, decelerations = efforts(segments) if twice_step <= 400 else (None, None)
    # each heart rate counts until the next of its interval, the last until the last sample of it
    held = []
    for a, b in intervals or [(-inf, inf)]:
        within = [beat for beat in beats if a <= beat[0] < b]
        ends = [t for t, _ in within[1:]] + [max((t for t in used if a <= t < b), default=a)]
        held += [(hr, min(end - t, 5000)) for (t, hr), end in zip(within, ends)]
    total_held = sum(ms for _, ms in held)
    trimp = None
    if max_hr and total_held:
        # a minute counts 1 at 50 % of the maximum or more, and 1 more for each further 10 % up to 90 %
        weighted = sum(ms * sum(100 * hr >= share * max_hr for share in range(50, 100, 10)) for hr, ms in held)
        trimp = half_up(10 * weighted, 60_000) / 10
    # each heart rate is valid until the next of its recording and interval, the last for 5 s
    heard = 0
    for recording in own:
        for a, b in intervals or [(-inf, inf)]:
            times = [t for t, _, hr in recording if hr is not None and a <= t < b]
            heard += sum(min(q - p, 5000) for p, q in zip(times, times[1:])) + (5000 if times else 0)
    return {
        "start": instant_text(used[0]),
        "end": instant_text(used[-1]),
        "minutes": rounded(tenths / 600, 4),
        "distance_m": distance,
        "rate_m_per_min": rounded(distance * 60_000 / (tenths * 100), 4),
        "high_speed_m": metres(way([p for p in pieces if p[2] >= 2 * HIGH_SPEED])),
        "sprints": number,
        "top_speed_km_per_h": rounded(thousandths(max(v for s in segments for _, v in s)) * 3.6, 4),
        "accelerations": accelerations,
        "decelerations": decelerations,
        "hr_mean_bpm": half_up(10 * sum(hr * ms for hr, ms in held), total_held) / 10 if total_held else None,
        "hr_max_bpm": max((hr for _, hr in beats), default=None),
        "trimp": trimp,
        "sprint_m": sprint_m,
        "period_minutes": rounded(period_ms / 60_000, 4),
        "share_with_data": rounded(min(1, tenths * 100 / period_ms), 3),
        "share_with_hr": rounded(min(1, heard / (tenths * 100)), 3),
        "too_fast_rows": sum(v is not None and v > TOP for _, v, _ in samples),
    }


def instant_text(ms):
    return datetime.fromtimestamp(ms // 1000, timezone.utc).strftime("%Y-%m-%dT%H:%M:%S") + f".{ms % 1000:03}Z"


def text(value):
    if value is None:
        return ""
    return str(int(value)) if isinstance(value, float) and value == int(value) else str(value)


def minutes_of(period):
    """From the first start to the last end of any player."""
    times = [t for spans in [period["all"], *period["own"].values()] for span in spans for t in span]
    return (max(times) - min(times)) / 60_000


def main(folder, csvs):
    squad = list(squad_of(folder, csvs))
    times = [t for _, _, recordings in squad for recording in recordings for t, _, _ in recording]
    day = min(times) // 86_400_000 * 86_400_000
    anybody_ms = len({t // 1000 for t in times}) * 1000
    periods = periods_of(folder, day)
    halves = [name for name, period in periods.items() if 30 <= minutes_of(period) <= 70]
    writer = csv.DictWriter(sys.stdout, COLUMNS, lineterminator="\n")
    writer.writeheader()
    for player, max_hr, recordings in squad:
        rows = [("session", None, anybody_ms)]
        own = {name: period["own"].get(player, period["all"]) for name, period in periods.items()}
        tables = {"Match": sorted(own[halves[0]] + own[halves[1]]), **own} if len(halves) == 2 else own
        for name, intervals in tables.items():
            rows.append((name, intervals, sum(b - a for a, b in intervals)))
        for name, intervals, period_ms in rows:
            row = {"period_minutes": 0} if period_ms == 0 else figures(recordings, max_hr, intervals, period_ms)
            writer.writerow({"player": player, "period": name, **{key: text(value) for key, value in row.items()}})


main(Path(sys.argv[1]), Path(sys.argv[2]))
