"""A second implementation of peak demands. Computes the amount of every cell of 100 ms separately, then every window by brute force."""

import math
from fractions import Fraction

from metabolic import power
from signal_steps import Signal, accelerations, line, ordered

HELD = 5000


def cells_of(rows, high_speed, with_power):
    s = Signal(rows)
    if not s.t:
        return None
    t0, t1 = s.t[0], s.t[-1]
    n = (t1 - t0) // 100
    names = ["distance", "high_speed_distance", "covered", "acceleration", "accelerations", "metabolic_power", "beats", "known"]
    cells = {name: [0] * (n + 1) for name in names}

    def spread(name, start, end, rate):
        for c in range((start - t0) // 100, -((t0 - end) // 100)):
            lo, hi = max(start, t0 + 100 * c), min(end, t0 + 100 * (c + 1))
            if lo < hi:
                cells[name][c] += rate * (hi - lo)

    for a, b, rate in s.intervals():
        spread("covered", a, b, 1)
        spread("distance", a, b, rate)
        if rate >= 2 * high_speed:
            spread("high_speed_distance", a, b, rate)
    for start, _, smooth, acc in accelerations(s):
        size = [0 if abs(x) > 9000 else math.floor(abs(x) + 0.5) for x in acc]
        watts = [0] * len(acc)
        if with_power:
            watts = [
                0 if y < 200 or abs(x) > 9000 else math.floor(1000 * power(y / 1000, x / 1000) + 0.5)
                for y, x in zip(smooth, acc)
            ]
        for k in range(len(acc) - 1):
            a, b = start + 100 * k, start + 100 * (k + 1)
            spread("acceleration", a, b, size[k] + size[k + 1])
            spread("metabolic_power", a, b, watts[k] + watts[k + 1])
        begun = None
        for k, x in enumerate(acc + [0]):
            inside = 500 <= x <= 9000
            if inside and begun is None:
                begun = k
            elif not inside and begun is not None:
                if k - 1 - begun >= 5 and max(acc[begun:k]) >= 2000:
                    cells["accelerations"][(start + 100 * begun - t0) // 100] += 1
                begun = None
    heard = [(r[0], r[2]) for r in rows if 30 <= r[2] <= 240]
    for (a, bpm), b in zip(heard, [h[0] for h in heard[1:]] + [t1]):
        a, b = max(a, t0), min(b, a + HELD, t1)
        if a < b:
            spread("beats", a, b, bpm)
            spread("known", a, b, 1)
    return t0, n, cells, s.is_fast()


def window(found, amount, w):
    if found is None:
        return None
    t0, n, cells, is_fast = found
    if amount in ("acceleration", "accelerations", "metabolic_power") and not is_fast:
        return None
    values = cells["beats" if amount == "heart_rate" else amount]
    cover = cells["known" if amount == "heart_rate" else "covered"]
    m, best = 10 * w, None
    if n < m:
        return None
    total, known = sum(values[:m]), sum(cover[:m])
    for k in range(n - m + 1):
        if k > 0:
            total += values[k + m - 1] - values[k - 1]
            known += cover[k + m - 1] - cover[k - 1]
        if 10 * known < 9 * 100 * m:
            continue
        score = Fraction(total, known) if amount == "heart_rate" else total
        if best is None or score > best[0]:
            best = (score, total, known, t0 + 100 * k)
    return best and {"amount": best[1], "coveredMs": best[2], "startMs": best[3]}


def peaks(task):
    rows = ordered(task["t"], task["v"], task["hr"])
    found = cells_of(rows, task["highSpeed"], True)
    amounts = ("distance", "high_speed_distance", "acceleration", "accelerations", "heart_rate", "metabolic_power")
    return {name: [window(found, name, w) for w in task["windows"]] for name in amounts}


def fits(task):
    """Of peak distances [window, m]: power law, two parameters, three parameters by a search in decreasing steps."""
    points = task["points"]
    moved = [(w, d) for w, d in points if w % 60 == 0 and d > 0]
    answer = {"power": None, "two": None, "three": None}
    if len(moved) >= 5:
        a, b, r2, *_ = line([math.log(w / 60) for w, _ in moved], [math.log(60 * d / w) for w, d in moved])
        answer["power"] = [b, math.exp(a), r2]
    long = [(w, d) for w, d in points if w >= 120]
    if len(long) >= 3:
        a, b, r2, *_ = line([1 / w for w, _ in long], [d / w for w, d in long])
        answer["two"] = [a, b, r2] if a > 0 else None
    if len(points) >= 4:
        v = [d / w for w, d in points]
        at = lambda q: line([math.exp(q) / (w + math.exp(q)) for w, _ in points], v)
        low, high = math.log(0.1), math.log(1000)
        for _ in range(60):
            thirds = low + (high - low) / 3, high - (high - low) / 3
            if at(thirds[0])[4] < at(thirds[1])[4]:
                high = thirds[1]
            else:
                low = thirds[0]
        tau = math.exp((low + high) / 2)
        a, b, r2, *_ = at((low + high) / 2)
        answer["three"] = [a, b * tau, a + b, tau, r2] if a > 0 and b > 0 else None
    return answer
