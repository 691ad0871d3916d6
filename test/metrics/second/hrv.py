"""A second implementation of heart-rate variability, with exactly rounded sums and the statistics of the standard library."""

import math
import statistics

from signal_steps import line


def around(x, i, width):
    return x[max(0, i - width // 2):i + width // 2 + 1]


def half_range(x):
    if len(x) == 1:
        return 0.0
    q = statistics.quantiles(x, n=4, method="inclusive")
    return (q[2] - q[0]) / 2


def labels(rr):
    n = len(rr)
    med = [statistics.median(around(rr, i, 11)) for i in range(n)]
    diff = [0.0] + [b - a for a, b in zip(rr, rr[1:])]
    dev = [(x - y) * (1 if x >= y else 2) for x, y in zip(rr, med)]
    t1 = [max(10.0, 5.2 * half_range([abs(q) for q in around(diff, i, 91)])) for i in range(n)]
    t2 = [max(10.0, 5.2 * half_range([abs(q) for q in around(dev, i, 91)])) for i in range(n)]
    d = [0.0] + [a / b for a, b in zip(diff, t1)] + [0.0, 0.0]      # d[i + 1] is D_i
    m = [a / b for a, b in zip(dev, t2)]
    out = [None] * n
    skip = -1
    for i in range(n):
        if i <= skip or abs(d[i + 1]) <= 1:
            continue
        here, sign = abs(d[i + 1]), 1 if d[i + 1] > 0 else -1
        if max(sign * d[i], sign * d[i + 2]) < -0.13 * here - 0.17:
            out[i] = "ectopic"
            continue
        for j in [i, i + 1] if i + 2 < n and abs(d[i + 2]) < abs(d[i + 3]) else [i]:
            after = d[j + 2:j + 4] + [0.0] * (2 - len(d[j + 2:j + 4]))
            long = (d[j + 1] > 1 and min(after) < -1) or m[j] > 3
            short = (d[j + 1] < -1 and max(after) > 1) or m[j] < -3
            if short and j + 1 < n and abs(rr[j] + rr[j + 1] - med[j]) < t2[j]:
                out[j] = "extra"
            elif long and abs(rr[j] / 2 - med[j]) < t2[j]:
                out[j] = "missed"
            elif long or short:
                out[j] = "long" if long else "short"
            if out[j]:
                skip = max(skip, j)
    return out


def corrected(rr, lab):
    pairs, i = [], 0
    while i < len(rr):
        if lab[i] == "extra" and i + 1 < len(rr):
            pairs.append((rr[i] + rr[i + 1], True))
            i += 1
        elif lab[i] == "missed":
            pairs += [(rr[i] / 2, True)] * 2
        else:
            pairs.append((rr[i], lab[i] is None))
        i += 1
    good = [k for k, (_, fine) in enumerate(pairs) if fine]
    out = [x for x, _ in pairs]
    for k, (_, fine) in enumerate(pairs):
        if fine or not good:
            continue
        left = max((g for g in good if g < k), default=None)
        right = min((g for g in good if g > k), default=None)
        if left is None or right is None:
            out[k] = out[right if left is None else left]
        else:
            w = (k - left) / (right - left)
            out[k] = (1 - w) * pairs[left][0] + w * pairs[right][0]
    return out


def alpha1(rr):
    if len(rr) < 16:
        return None
    mean = math.fsum(rr) / len(rr)
    y, s = [], 0.0
    for x in rr:
        s += x - mean
        y.append(s)
    points = []
    for n in range(4, 17):
        rest = [line(list(range(n)), y[j:j + n])[4] / n for j in range(0, len(y) - n + 1, n)]
        f = math.sqrt(math.fsum(rest) / len(rest))
        if not f > 0:
            return None
        points.append((math.log(n), math.log(f)))
    return line([p for p, _ in points], [q for _, q in points])[1]


def lomb(rr):
    t, s = [], 0.0
    for x in rr:
        if s >= 300:
            break
        t.append(s)
        s += x / 1000
    if s < 300 or len(t) < 3:
        return None
    a, b, *_ = line(t, rr[:len(t)])
    x = [q - a - b * p for p, q in zip(t, rr)]
    out = [0.0, 0.0]
    for k in range(12, 121):
        w = 2 * math.pi * k / 300
        tau = math.atan2(math.fsum(math.sin(2 * w * p) for p in t), math.fsum(math.cos(2 * w * p) for p in t)) / 2 / w
        for f in (math.cos, math.sin):
            c = [f(w * (p - tau)) for p in t]
            power = math.fsum(p * q for p, q in zip(x, c)) ** 2 / math.fsum(p * p for p in c)
            out[k >= 45] += power / len(t)
    return out if out[1] > 0 else None


def variability(task):
    """The figures of one series without gaps."""
    rr = task["rr"]
    lab = labels(rr)
    fixed = corrected(rr, lab)
    answer = {"labels": lab, "corrected": fixed, "time": None, "lomb": lomb(fixed), "windows": []}
    if len(fixed) >= 20:
        d = [b - a for a, b in zip(fixed, fixed[1:])]
        answer["time"] = [
            math.fsum(fixed) / len(fixed),
            math.sqrt(math.fsum(q * q for q in d) / len(d)),
            statistics.stdev(fixed),
            100 * sum(abs(q) > 50 + 1e-9 for q in d) / len(d),
        ]
    ends, s = [], 0.0
    for x in rr:
        s += x
        ends.append(s)
    e = 120_000
    while ends and e <= ends[-1]:
        inside = [k for k, q in enumerate(ends) if e - 120_000 < q <= e]
        if inside:
            part, own = rr[inside[0]:inside[-1] + 1], lab[inside[0]:inside[-1] + 1]
            bad = 100 * sum(q is not None for q in own) / len(own)
            answer["windows"].append(
                [e, len(part), bad, None if bad > 5 else alpha1(corrected(part, own)), 60_000 * len(part) / sum(part)]
            )
        e += task["step"]
    return answer
