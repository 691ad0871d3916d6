"""A second implementation of steady runs, which checks every stretch and every mean of ten seconds separately, in integers."""

import math
from fractions import Fraction

from signal_steps import Signal, ordered


def seconds_of(task):
    """[start, speeds, heart rates] of each stretch of seconds."""
    rows = ordered(task["t"], task["v"], task["hr"])
    signal = Signal(rows, median=False)
    heard = [(r[0], r[2]) for r in rows if 30 <= r[2] <= 240]
    stretches = []
    for a, b in signal.segments:
        start, within = signal.t[a], {}
        for i in range(a, b + 1):
            within.setdefault((signal.t[i] - start) // 1000, []).append(signal.v[i])
        values, current = {k: math.floor(Fraction(sum(v), len(v)) + Fraction(1, 2)) for k, v in within.items()}, None
        for k in sorted(values):
            if current and k == current[1] + len(current[0]) + 1:
                current[0].append(current[0][-1])
            if not current or k != current[1] + len(current[0]):
                current = ([], k)
                stretches.append((start, current))
            current[0].append(values[k])
    found = []
    for start, (speeds, first) in stretches:
        begin = start + 1000 * first
        rates, j = [], 0
        for k in range(len(speeds)):
            end = begin + 1000 * (k + 1)
            while j < len(heard) and heard[j][0] < end:
                j += 1
            rates.append(heard[j - 1][1] if j and end - heard[j - 1][0] <= 5000 else 0)
        found.append([begin, speeds, rates])
    return found


def is_run(v):
    total, n = sum(v), len(v)
    if not 2500 * n <= total <= 4500 * n:
        return False
    # ten / 10 and total / n, both times 10 n
    return all(abs(n * sum(v[k:k + 10]) - 10 * total) <= total for k in range(n - 9))


def runs(task):
    answer = []
    for begin, v, rates in seconds_of(task):
        i = 0
        while i + 240 <= len(v):
            j = i + 240
            if not is_run(v[i:j]):
                i += 1
                continue
            while j < len(v) and is_run(v[i:j + 1]):
                j += 1
            known = [r for r in rates[j - 30:j] if r]
            rate = sum(known) / len(known) if len(known) >= 27 else None
            answer.append([begin + 1000 * i, j - i, sum(v[i:j]) / (j - i) / 1000, rate])
            i = j
    return answer
