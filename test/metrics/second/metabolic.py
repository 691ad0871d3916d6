"""A second implementation of metabolic power (docs/metrics.md, "Metabolic power")."""

import math

SLOPES = [-0.3, -0.2, -0.1, 0.0, 0.1, 0.2, 0.3, 0.4]
QUARTICS = """.28 -1.66 3.81 -3.96 4.01 | .03 -.15 .98 -2.25 3.14 | .69 -3.21 5.94 -5.07 2.79 | 1.25 -6.57 13.14 -11.15 5.35
| .68 -4.17 10.17 -10.31 8.66 | 3.8 -14.91 22.94 -14.53 11.24 | 44.95 -122.88 126.94 -57.46 21.39
| 94.62 -213.94 184.43 -68.49 25.04"""
COST = [[float(x) for x in part.split()] for part in QUARTICS.split("|")]


def walking(v, slope):
    at = [sum(c * v ** (4 - k) for k, c in enumerate(row)) for row in COST]
    if slope <= SLOPES[0]:
        return at[0]
    for (s0, c0), (s1, c1) in zip(zip(SLOPES, at), list(zip(SLOPES, at))[1:]):
        if slope <= s1:
            return c0 + (c1 - c0) * (slope - s0) / (s1 - s0)
    return at[-1]


def power(v, a):
    """W/kg from m/s and m/s2."""
    slope = (a + 0.0037 * v ** 2) / 9.80665
    turn = sum(c * slope ** k for k, c in enumerate([2.27, -1.7, -15.84, -1.13, 113.13, -107.05]))
    if v > 2.5 or v >= turn:
        cost = 39.5 * slope + 3.6 * math.exp(-4 * slope) if slope >= 0 else -8.34 * slope + 3.6 * math.exp(13 * slope)
    else:
        cost = walking(v, slope)
    return cost * math.hypot(1, slope) * v


def estimate(task):
    """Energy in 0.5 µJ/kg, and time (ms) and distance (0.5 µm) of each category; None without 1 s at 5 Hz."""
    from signal_steps import Signal, accelerations, ordered

    s = Signal(ordered(task["t"], task["v"], task["hr"]))
    stretches = list(accelerations(s))
    if not stretches:
        return None
    limits = [0, 10_000, 20_000, 35_000, 55_000]
    energy, classes = 0, [[0, 0.0] for _ in limits]
    for _, raw, smooth, acc in stretches:
        watts = [
            0 if v < 200 or abs(a) > 9000 else math.floor(1000 * power(v / 1000, a / 1000) + 0.5)
            for v, a in zip(smooth, acc)
        ]
        for p, q, v, w in zip(watts, watts[1:], raw, raw[1:]):
            energy += 100 * (p + q)
            own = classes[sum((p + q) / 2 >= x for x in limits) - 1]
            own[0] += 100
            own[1] += 100 * (v + w)
    return {"energy": energy, "classes": classes}
