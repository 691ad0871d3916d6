"""A second implementation of the signal of docs/metrics.md, with lists of integers, and difference equations as written there."""

import math
from itertools import takewhile

BUTTERWORTH_2_HZ = (0.264493773259, 0.528987546517, 0.264493773259, -0.115976527133, 0.173951620167)


def ordered(t, v, hr, *others):
    """Returns one row for each time. The first row counts; a later heart rate fills in a missing one."""
    rows = {}
    for row in zip(t, v, hr, *others):
        if row[0] not in rows:
            rows[row[0]] = list(row)
        elif rows[row[0]][2] == 0:
            rows[row[0]][2] = row[2]
    return [rows[k] for k in sorted(rows)]


def double_median(values):
    values = sorted(values)
    return values[(len(values) - 1) // 2] + values[len(values) // 2]


def is_gap(steps, first, last, gap_ms, gap_steps):
    """Uses the steps between first and last and around them: at most ten on each side, and none beyond a step of more than five minutes."""
    between = steps[first:last]
    if sum(between) <= gap_ms:
        return False
    if sum(between) > 300_000:
        return True
    before = list(takewhile(lambda s: s <= 300_000, reversed(steps[:first])))[:10]
    after = list(takewhile(lambda s: s <= 300_000, steps[last:]))[:10]
    return 2 * sum(between) > gap_steps * double_median(before + between + after)


def is_slow(steps, k):
    """Divides segments where a line between two samples is not an acceleration: at steps above 1 s, and above 0.22 s among similar steps."""
    if not 220 < steps[k] <= 1000:
        return steps[k] > 1000
    before = list(takewhile(lambda s: s <= 300_000, reversed(steps[:k])))[:10]
    after = list(takewhile(lambda s: s <= 300_000, steps[k + 1:]))[:10]
    return double_median(before + [steps[k]] + after) > 440


class Signal:
    """The times and speeds that count, and the index ranges of the segments, including both ends."""

    def __init__(
        self, rows, max_valid=12500, standstill=200, gap_ms=1000, gap_steps=5, median=True, gate=lambda row: True
    ):
        counts = lambda row: gate(row) and row[1] <= max_valid
        kept = [(r[0], r[1]) for r in rows if r[1] >= 0 and counts(r)]
        self.t = [r[0] for r in kept]
        raw = [r[1] for r in kept]
        own_steps = [b - a for a, b in zip(self.t, self.t[1:])]
        self.double_step = double_median(own_steps) if own_steps else None
        recorded = [r[0] for r in rows if r[1] >= 0]
        steps = [b - a for a, b in zip(recorded, recorded[1:])]
        place = [k for k, r in enumerate(r for r in rows if r[1] >= 0) if counts(r)]
        self.segments = []
        for i in range(len(self.t)):
            if i == 0 or is_gap(steps, place[i - 1], place[i], gap_ms, gap_steps):
                self.segments.append([i, i])
            self.segments[-1][1] = i
        self.v = list(raw)
        for a, b in self.segments:
            for i in range(a + 1, b):
                if median:
                    self.v[i] = sorted(raw[i - 1:i + 2])[1]
        self.standstill = standstill

    def intervals(self):
        """(start, end, v_i + v_i+1, or 0 at standstill)"""
        for a, b in self.segments:
            for i in range(a, b):
                s = self.v[i] + self.v[i + 1]
                yield self.t[i], self.t[i + 1], s if s >= 2 * self.standstill else 0

    def is_fast(self):
        return self.double_step is not None and self.double_step <= 400


def fast_stretches(signal):
    """Index ranges inside the segments, at least 1 s long, with enough samples a second."""
    steps = [b - a for a, b in zip(signal.t, signal.t[1:])]
    for a, b in signal.segments:
        start = a
        for i in range(a, b + 1):
            if i == b or is_slow(steps, i):
                if signal.t[i] - signal.t[start] >= 1000:
                    yield start, i
                start = i + 1


def resampled(signal, a, b, step=100):
    t, v, out, j = signal.t, signal.v, [], a
    for x in range(t[a], t[b] + 1, step):
        while t[j] < x:
            j += 1
        if t[j] == x:
            out.append(float(v[j]))
        else:
            out.append(v[j - 1] + (v[j] - v[j - 1]) * (x - t[j - 1]) / (t[j] - t[j - 1]))
    return out


def one_pass(x, coefficients):
    """y[n] = b0 x[n] + b1 x[n-1] + b2 x[n-2] - a1 y[n-1] - a2 y[n-2], as if all earlier values were x[0]."""
    b0, b1, b2, a1, a2 = coefficients
    rest = x[0] * (b0 + b1 + b2) / (1 + a1 + a2)
    x1 = x2 = x[0]
    y1 = y2 = rest
    out = []
    for u in x:
        y = b0 * u + b1 * x1 + b2 * x2 - a1 * y1 - a2 * y2
        out.append(y)
        x2, x1, y2, y1 = x1, u, y1, y
    return out


def low_pass(x, coefficients=BUTTERWORTH_2_HZ):
    p = min(9, len(x) - 1)
    padded = [2 * x[0] - x[i] for i in range(p, 0, -1)] + x + [2 * x[-1] - x[-1 - i] for i in range(1, p + 1)]
    forward = one_pass(padded, coefficients)
    backward = one_pass(forward[::-1], coefficients)[::-1]
    return backward[p:p + len(x)]


def derivative(y, step=100):
    n = len(y) - 1
    return [
        (y[min(i + 1, n)] - y[max(i - 1, 0)]) * 1000 / (step * (min(i + 1, n) - max(i - 1, 0))) for i in range(n + 1)
    ]


def accelerations(signal, coefficients=BUTTERWORTH_2_HZ):
    """(start, unfiltered, filtered, acceleration) of each stretch of at least 1 s, from 5 Hz."""
    if not signal.is_fast():
        return
    for a, b in fast_stretches(signal):
        x = resampled(signal, a, b)
        y = low_pass(x, coefficients)
        yield signal.t[a], x, y, derivative(y)


def half_up(x, decimals=0):
    return math.floor(x * 10 ** decimals + 0.5) / 10 ** decimals


def line(x, y):
    """Least squares with exactly rounded sums: intercept, slope, R2 (None when y does not vary), standard error of the intercept."""
    n = len(x)
    mx, my = math.fsum(x) / n, math.fsum(y) / n
    sxx = math.fsum((p - mx) ** 2 for p in x)
    slope = math.fsum((p - mx) * (q - my) for p, q in zip(x, y)) / sxx
    intercept = my - slope * mx
    rest = math.fsum((q - intercept - slope * p) ** 2 for p, q in zip(x, y))
    total = math.fsum((q - my) ** 2 for q in y)
    flat = max(abs(q - my) for q in y) <= 1e-12 * abs(my)
    error = math.sqrt(rest / (n - 2) * (1 / n + mx * mx / sxx)) if n > 2 else None
    return intercept, slope, None if flat else 1 - rest / total, error, rest
