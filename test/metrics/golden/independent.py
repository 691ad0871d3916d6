"""Computes the computed data of a time frame a second time, from the written definition and not from the product.

Figures of speed and distance are exact rationals; the acceleration filter runs in 60 decimal digits as a difference
equation on its past inputs and outputs. Standard library only:

    python3 independent.py > independent.json && npx biome format --write independent.json

The same of recordings in fixtures/, from their CSV:

    python3 independent.py fixtures > recordings.json && npx biome format --write recordings.json
"""

import csv
import json
import math
import sys
from decimal import Decimal, getcontext
from fractions import Fraction
from itertools import groupby
from pathlib import Path

getcontext().prec = 60

# ---------------------------------------------------------------------------------------------- the made-up match

START = 1_717_236_000_000
MINUTE = [
    (50, 0, 0), (30, 0, 1500), (100, 1500, 1500), (20, 1500, 6000), (80, 6000, 6500), (15, 6500, 1000),
    (105, 1000, 3500), (20, 3500, 8800), (60, 8800, 8600), (40, 8600, 0), (80, 0, 0),
]
PLAY = [a + (b - a) * j // n for n, a, b in MINUTE for j in range(n)]


def match(every, offset):
    for k in range(offset, 7200, every):
        if 1800 <= k < 1830 or 4000 <= k < 4005 or k % 89 == 17:
            continue
        t = START + 100 * k + ((k * 37 % 11 - 5) if 3000 <= k < 3600 else 0)
        v = max(0, PLAY[k % 600] * (80 + 3 * (k // 600 % 13)) // 100 + (7 * k * k + 13 * k) % 61 - 30)
        if k % 997 == 500:
            v += 4000
        if k % 1511 == 700:
            v = 60_000
        if k % 1301 == 400:
            v = None
        hr = None
        if k % 10 == 3 and not 2500 <= k < 2700:
            s = k // 10 % 240
            hr = 250 if k % 630 == 3 else 90 + min(s, 240 - s) * 100 // 120
        yield t, v, hr


FRAME = (START + 9_963, START + 710_000)


def owned(t):
    return t < START + 540_000 or t >= START + 546_000


def exponential_start():
    """Rest for 3 s, then 8.5 (1 - exp(-t / 1.3)) m/s, rounded half up to mm/s."""
    for k in range(120):
        v = 0 if k < 30 else math.floor(8500 * (1 - math.exp(-(k - 30) / 13)) + 0.5)
        yield 100 * k, v, None


# ---------------------------------------------------------------------------------------------- the definition

F = Fraction
DEFAULTS = {
    "max_hr": None, "acceleration_thresholds": [2, 3], "deceleration_thresholds": [2, 3], "intensity_span": 60,
    "standstill_speed": 0.2, "max_valid_speed": 12.5, "sprint_threshold": 7, "hid_thresholds": [4, 5.5],
    "speed_ranges": [0, 2, 4, 5.5, 7],
}
SPORTS = {
    "soccer": {},
    "running": {"speed_ranges": [0, 2, 3, 4, 5, 6], "hid_thresholds": [4, 5]},
    "biking": {
        "speed_ranges": [0, 2.778, 5.556, 8.333, 11.111, 13.889], "acceleration_thresholds": [1, 2],
        "deceleration_thresholds": [1, 2], "sprint_threshold": 11.111, "hid_thresholds": [8.333, 9.722],
        "max_valid_speed": 30,
    },
}


def exact(x):
    return None if x is None else F(str(x))


def rounded(x, decimals):
    """Rounds half up, and away from zero below zero."""
    if x is None:
        return None
    scaled = (abs(x) * 10**decimals + F(1, 2)).__floor__()
    return float(F(scaled, 10**decimals)) * (1 if x >= 0 else -1)


def median(values):
    values = sorted(values)
    n = len(values)
    return F(values[(n - 1) // 2] + values[n // 2], 2)


def segments_of(points, starts, recorded=None):
    """recorded: the times of all samples with a speed; those of the points if none was too fast. starts: starts of later periods."""
    times = [p[0] for p in points]
    recorded = times if recorded is None else recorded
    steps = [b - a for a, b in zip(recorded, recorded[1:])]
    place = {t: k for k, t in enumerate(recorded)}

    def is_gap(start, end):
        if any(start < s <= end for s in starts):
            return True
        if not 1000 < end - start <= 300_000:
            return end - start > 300_000
        first, last = place[start], place[end]
        low, high = first, last
        while low > 0 and first - low < 10 and steps[low - 1] <= 300_000:
            low -= 1
        while high < len(steps) and high - last < 10 and steps[high] <= 300_000:
            high += 1
        return end - start > 5 * median(steps[low:high])

    cut = [0] + [i + 1 for i, (a, b) in enumerate(zip(times, times[1:])) if is_gap(a, b)] + [len(points)]
    return [points[a:b] for a, b in zip(cut, cut[1:]) if b > a]


def despiked(segment):
    inner = [(q[0], median([p[1], q[1], r[1]])) for p, q, r in zip(segment, segment[1:], segment[2:])]
    return segment[:1] + inner + segment[-1:] if len(segment) > 1 else segment


def runs(flags):
    """Index ranges [a, b) of consecutive true flags."""
    at = 0
    for flag, group in groupby(flags):
        n = len(list(group))
        if flag:
            yield at, at + n
        at += n


def low_passed(x):
    """Forward and backward; y[n] = b x[n], x[n-1], x[n-2] - a y[n-1], y[n-2], at rest before the first value."""
    b = [Decimal("0.264493773259"), Decimal("0.528987546517"), Decimal("0.264493773259")]
    a = [Decimal("-0.115976527133"), Decimal("0.173951620167")]
    pad = min(9, len(x) - 1)
    x = [2 * x[0] - x[i] for i in range(pad, 0, -1)] + x + [2 * x[-1] - x[-1 - i] for i in range(1, pad + 1)]

    def once(u):
        rest = u[0] * sum(b) / (1 + sum(a))
        u = [u[0], u[0]] + u
        y = [rest, rest]
        for n in range(2, len(u)):
            y.append(b[0] * u[n] + b[1] * u[n - 1] + b[2] * u[n - 2] - a[0] * y[n - 1] - a[1] * y[n - 2])
        return y[2:]

    y = once(once(x)[::-1])[::-1]
    return y[pad:len(y) - pad]


def resampled(segment):
    out, j = [], 0
    t = segment[0][0]
    while t <= segment[-1][0]:
        while j + 1 < len(segment) and segment[j + 1][0] <= t:
            j += 1
        (t0, v0), (t1, v1) = segment[j], segment[min(j + 1, len(segment) - 1)]
        out.append(v0 if t == t0 else v0 + (v1 - v0) * F(t - t0, t1 - t0))
        t += 100
    return out


def fast_parts(segments):
    """Segments, divided at each step of more than 1 s, and of more than 0.22 s where the median of the steps around it is that long."""
    times = [p[0] for s in segments for p in s]
    steps = [b - a for a, b in zip(times, times[1:])]
    place = {t: k for k, t in enumerate(times)}

    def is_slow(start, end):
        if end - start > 1000 or end - start <= 220:
            return end - start > 1000
        k = place[start]
        return median(steps[max(0, k - 10):k + 11]) > 220

    for segment in segments:
        cut = [0] + [i for i in range(1, len(segment)) if is_slow(segment[i - 1][0], segment[i][0])] + [len(segment)]
        yield from (segment[a:b] for a, b in zip(cut, cut[1:]))


def efforts(segments, step, thresholds, sign):
    lists = [[], []]
    for segment in fast_parts(segments) if step is not None and step <= 200 else []:
        if segment[-1][0] - segment[0][0] < 1000:
            continue
        v = resampled(segment)
        s = low_passed([Decimal(x.numerator) / Decimal(x.denominator) for x in v])
        d = [(s[1] - s[0]) * 10] + [(q - p) * 5 for p, q in zip(s, s[2:])] + [(s[-1] - s[-2]) * 10]
        d = [x * sign for x in d]
        for i, j in runs([Decimal("0.5") <= x <= 9 for x in d]):
            last, peak = j - 1, max(d[i:j])
            if last - i < 5 or peak < thresholds[0]:
                continue
            lists[peak >= thresholds[1]].append({
                "start_time": segment[0][0] + 100 * i,
                "max_value": rounded(sign * F(peak), 3),
                "duration": rounded(F(last - i, 10), 1),
                "distance": rounded(sum((v[n] + v[n + 1]) / 20 for n in range(i, last)), 3),
                "initial_speed": rounded(v[i], 3),
                "end_speed": rounded(v[last], 3),
            })
    return {f"threshold_{n + 1}": {"threshold": float(thresholds[n]), "values": lists[n]} for n in (0, 1)}


def speed_runs(segments, still, threshold, merge, shortest):
    values = []
    total = F(0)
    for segment in segments:
        pieces = list(zip(segment, segment[1:]))
        found = [list(r) for r in runs([mean(p, still) >= threshold for p in pieces])]
        for a, b in zip(found[:-1], found[1:]):
            if segment[b[0]][0] - segment[a[1]][0] < merge:
                b[0], a[1] = a[0], None
        for i, j in (r for r in found if r[1] is not None):
            length = segment[j][0] - segment[i][0]
            if length >= shortest:
                total += sum(way(p, still) for p in pieces[i:j])
                values.append({
                    "start_time": segment[i][0],
                    "duration": rounded(F(length, 1000), 1),
                    "max_value": rounded(max(v for _, v in segment[i:j + 1]), 3),
                    "distance": rounded(sum(way(p, still) for p in pieces[i:j]), 3),
                })
    return {"threshold": float(threshold), "values": values}, rounded(total, 3)


def too_fast(samples, top, starts):
    """The samples above the limit, and the time of the intervals beside them, in segments of all samples with a speed."""
    points = [(t, F(v, 1000)) for t, v, _ in samples if v is not None]
    pieces = [q for s in segments_of(points, starts) for q in zip(s, s[1:])]
    beside = sum(seconds((a, b)) for a, b in pieces if a[1] > top or b[1] > top)
    return {"samples": sum(v > top for _, v in points), "duration": rounded(F(beside), 1)}


def mean(piece, still):
    (_, v0), (_, v1) = piece
    m = (v0 + v1) / 2
    return F(0) if m < still else m


def seconds(piece):
    return F(piece[1][0] - piece[0][0], 1000)


def way(piece, still):
    return mean(piece, still) * seconds(piece)


def age(birth, t):
    days = t // 86_400_000
    year = 1970
    while days >= (n := 366 if year % 4 == 0 and (year % 100 or year % 400 == 0) else 365):
        days, year = days - n, year + 1
    lengths = [31, 29 if n == 366 else 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
    month = 1
    while days >= lengths[month - 1]:
        days, month = days - lengths[month - 1], month + 1
    y, m, d = (int(part) for part in birth.split("-"))
    return year - y - ((month, days + 1) < (m, d))


def computed(samples, frame, sport, params, birth, starts=()):
    """starts: starts of the periods after the first, which have time between them."""
    p = {**DEFAULTS, **SPORTS[sport], **params}
    p = {k: [exact(x) for x in v] if isinstance(v, list) else exact(v) for k, v in p.items()}
    top, still = p["max_valid_speed"], p["standstill_speed"]
    samples = [s for s in samples if frame[0] <= s[0] <= frame[1]]
    points = [(t, F(v, 1000)) for t, v, _ in samples if v is not None and F(v, 1000) <= top]
    beats = [(t, hr) for t, _, hr in samples if hr is not None and 30 <= hr <= 240]
    used = sorted([t for t, _ in points] + [t for t, _ in beats])
    step = median([b[0] - a[0] for a, b in zip(points, points[1:])])
    recorded = [t for t, v, _ in samples if v is not None]
    segments = [despiked(s) for s in segments_of(points, starts, recorded)]
    pieces = [q for s in segments for q in zip(s, s[1:])]
    distance = sum(way(q, still) for q in pieces)
    time = sum(seconds(q) for q in pieces)

    limits = p["speed_ranges"] + [top]
    classes = []
    for low, high in zip(limits, limits[1:]):
        inside = [q for q in pieces if low <= mean(q, still) and (mean(q, still) < high or high == top)]
        classes.append((low, high, sum(map(seconds, inside)), sum(way(q, still) for q in inside)))

    span = p["intensity_span"] * 1000
    slices = [F(0)] * -(-(frame[1] - frame[0]) // span)
    for q in pieces:
        t0, t1 = q[0][0] - frame[0], q[1][0] - frame[0]
        for n in {t0 // span, min(t1 // span, len(slices) - 1)}:
            overlap = min(t1, (n + 1) * span) - max(t0, n * span)
            slices[n] += mean(q, still) * overlap / 1000

    max_hr = p["max_hr"]
    if max_hr is None and birth is not None:
        max_hr = F((208 - F(7, 10) * age(birth, frame[0]) + F(1, 2)).__floor__())
    ends = [t for t, _ in beats[1:]] + used[-1:]
    for s in starts:
        before = max(t for t, _, _ in samples if t < s)
        ends = [min(end, before) if t < s else end for (t, _), end in zip(beats, ends)]
    held = [(hr, min(end - t, 5000)) for (t, hr), end in zip(beats, ends)]
    total_held = sum(ms for _, ms in held)
    zones = []
    for low, high in [(0, 50), (50, 60), (60, 70), (70, 80), (80, 90), (90, 100)] if max_hr else []:
        inside = sum(ms for hr, ms in held if low <= hr / max_hr * 100 and (hr / max_hr * 100 < high or high == 100))
        zones.append({
            "percentage_hrmax": rounded(F(inside * 100, total_held), 2) if total_held else 0,
            "range_bpm": [rounded(max_hr * low / 100, 1), rounded(max_hr * high / 100, 1)],
            "range_percent_hrmax": [low, high],
        })

    sprints, sprint_distance = speed_runs(segments, still, p["sprint_threshold"], 500, 1000)
    intense, intense_distance = speed_runs(segments, still, p["hid_thresholds"][0], 0, 0)
    faster, faster_distance = speed_runs(segments, still, p["hid_thresholds"][1], 0, 0)

    def limits_of(low, high):
        return {"threshold_low": float(low), "threshold_high": float(high)}

    return {
        "first_timestamp": used[0],
        "last_timestamp": used[-1],
        "total_distance": rounded(distance, 3),
        "max_speed": rounded(max(v for s in segments for _, v in s), 3),
        "average_speed": rounded(distance / time, 4),
        "accelerations": efforts(segments, step, p["acceleration_thresholds"], 1),
        "decelerations": efforts(segments, step, p["deceleration_thresholds"], -1),
        "sprint": {"threshold_1": sprints},
        "hid": {"threshold_1": intense, "threshold_2": faster},
        "time_per_speed_ranges": [
            {"duration": rounded(s, 1), "ratio": rounded(s / time, 4), **limits_of(a, b)} for a, b, s, _ in classes
        ],
        "distance_per_speed_ranges": [
            {"distance": rounded(m, 3), "ratio": rounded(m / distance, 4), **limits_of(a, b)} for a, b, _, m in classes
        ],
        "intensity": {
            "distance": [rounded(m, 3) for m in slices],
            "start_time": frame[0],
            "span": float(p["intensity_span"]),
            "end_time": frame[1],
        },
        "hr_max": max((hr for _, hr in beats), default=None),
        "hr_min": min((hr for _, hr in beats), default=None),
        "hr_avg": rounded(F(sum(hr * ms for hr, ms in held), total_held), 1) if total_held else None,
        "hr_plot": beats[-1][1] if beats else None,
        "athlete_max_hr": None if max_hr is None else float(max_hr),
        "timePerHrZone": zones,
        "sprint_distance": sprint_distance,
        "hid_distance": {"threshold_1": intense_distance, "threshold_2": faster_distance},
        "has_accelerations": step <= 200,
        "too_fast": too_fast(samples, top, starts),
    }


FIXTURES = {
    "match-hr": ("soccer", {"max_hr": 195}),
    "run-fix-loss": ("running", {}),
    "hour-without-hr": ("biking", {}),
}


def recording(name):
    folder = Path(__file__).parents[3] / "fixtures" / "valid"
    with open(folder / f"{name}.csv", newline="") as file:
        for row in csv.DictReader(file):
            ms, mm_per_s = (int(Decimal(row[key]) * 1000) for key in ("timestamp", "speed"))
            yield ms, mm_per_s, int(row["hr"]) if row["hr"] else None


def of_fixtures():
    results = {}
    for name, (sport, params) in FIXTURES.items():
        samples = list(recording(name))
        frame = (samples[0][0], samples[-1][0])
        results[name] = {"sport": sport, "params": params, "figures": computed(samples, frame, sport, params, None)}
    return results


def of_cases():
    given = json.loads((Path(__file__).parent / "cases.json").read_text())
    results = {
        case["name"]: computed(
            [s for s in match(case["every"], case["offset"]) if owned(s[0])],
            FRAME, case["sport"], case["params"], case["birthDate"], [START + 546_000],
        )
        for case in given["cases"]
    }
    results["exponential start, soccer, 10 Hz"] = computed(
        list(exponential_start()), (0, 11_900), "soccer", {}, None
    )
    return results


print(json.dumps(of_fixtures() if sys.argv[1:] == ["fixtures"] else of_cases(), indent=1))
