"""A second implementation of the acceleration-speed profile and the maximum speed."""

import math

from signal_steps import Signal, derivative, fast_stretches, line, low_pass, ordered, resampled

ONE_HZ = (0.0674552738890719, 0.1349105477781438, 0.0674552738890719, -1.1429805025399011, 0.4128015980961885)


def t_quantile(n):
    """The t with 95 % between -t and t, by Simpson's rule over the density and Newton's method."""
    scale = math.exp(math.lgamma((n + 1) / 2) - math.lgamma(n / 2)) / math.sqrt(n * math.pi)
    density = lambda x: scale * (1 + x * x / n) ** (-(n + 1) / 2)
    t = 1.96 if n > 3 else {1: 12.0, 2: 4.0, 3: 3.0}[n]
    for _ in range(12):
        m = 1000
        h = t / m
        area = h / 3 * math.fsum(density(k * h) * (1 if k in (0, m) else 4 if k % 2 else 2) for k in range(m + 1))
        t += (0.475 - area) / density(t)
        if abs(0.475 - area) < 1e-15:
            break
    return t


def profile(task):
    s = Signal(ordered(task["t"], task["v"], task["hr"]))
    held, classes = None, {}
    for a, b in fast_stretches(s) if s.is_fast() else []:
        x = resampled(s, a, b)
        for k in range(len(x) - 5):
            held = max(held or 0, min(x[k:k + 6]))
        y = low_pass(x, ONE_HZ)
        for v, q in zip(y, derivative(y)):
            if 0 < q <= 9000 and math.floor(v + 0.5) >= 3000:
                classes.setdefault((math.floor(v + 0.5) - 3000) // 200, []).append((v / 1000, q / 1000))
    points = [p for c in sorted(classes) for p in sorted(classes[c], key=lambda p: -p[1])[:2]]
    answer = {"held": held, "n": len(points), "first": None, "final": None}
    if len(points) >= 3:
        a0, slope, r2, error, _ = line([p for p, _ in points], [q for _, q in points])
        answer["first"] = [a0, slope, r2]
        limit = t_quantile(len(points) - 2) * error
        near = [(p, q) for p, q in points if abs(q - a0 - slope * p) <= limit]
        if len(near) >= 3:
            answer["final"] = [len(near), *line([p for p, _ in near], [q for _, q in near])[:3]]
    return answer
