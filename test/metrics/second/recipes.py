"""A second implementation of counts by a recipe, and of the hash of its canonical text."""

import hashlib
import json
import math

from signal_steps import Signal, is_gap, derivative, fast_stretches, low_pass, ordered, resampled


def butterworth(cutoff_mhz, step_ms, corrected):
    """Poles of the analogue prototype through the bilinear transform, to 12 decimals."""
    warped = math.tan(math.pi * cutoff_mhz / 1000 * step_ms / 1000)
    if corrected:
        warped /= (math.sqrt(2) - 1) ** 0.25
    a0 = 1 / warped ** 2 + math.sqrt(2) / warped + 1
    b = [1 / a0, 2 / a0, 1 / a0]
    a = [2 * (1 - 1 / warped ** 2) / a0, (1 / warped ** 2 - math.sqrt(2) / warped + 1) / a0]
    return [round(x, 12) for x in b + a]


def smoothed(x, rule, step):
    if rule is None:
        return x
    if rule["type"] == "mean":
        h = (rule["samples"] - 1) // 2
        padded = [x[0]] * h + x + [x[-1]] * h
        return [sum(padded[k:k + 2 * h + 1]) / (2 * h + 1) for k in range(len(x))]
    return low_pass(x, butterworth(rule["cutoff_mhz"], step, rule["corrected"]))


def reaches(row, gate):
    """row: time, speed, heart rate, satellites, accuracy of the speed, PDOP. If the last three are 0, the quality is unknown."""
    satellites, accuracy, pdop = row[3:]
    return (
        (satellites, accuracy, pdop) != (0, 0, 0)
        and satellites >= gate.get("min_satellites", 0)
        and accuracy <= gate.get("max_speed_accuracy", math.inf)
        and pdop <= gate.get("max_pdop_hundredths", math.inf)
    )


def dropped_by_gate(rows, r):
    """The number of samples with a speed that do not pass the gate, and the ms of the intervals that touch one. None if the quality is unknown."""
    if r["gate"] is None:
        return [0, 0]
    moving = [row for row in rows if row[1] >= 0]
    if moving and all(tuple(row[3:]) == (0, 0, 0) for row in moving):
        return None
    fails = [not reaches(row, r["gate"]) for row in moving]
    steps = [b[0] - a[0] for a, b in zip(moving, moving[1:])]
    lost = sum(
        step
        for i, step in enumerate(steps)
        if (fails[i] or fails[i + 1]) and not is_gap(steps, i, i + 1, r["gap"]["min_ms"], r["gap"]["steps"])
    )
    return [sum(fails), lost]


def series_of(rows, r):
    s = Signal(
        rows,
        r["max_valid"],
        r.get("standstill", 0),
        r["gap"]["min_ms"],
        r["gap"]["steps"],
        "spike" in r,
        (lambda row: reaches(row, r["gate"])) if r["gate"] else (lambda row: True),
    )
    step = r.get("resample_ms")
    if r["derivative"] and not s.is_fast():
        return None
    found = []
    for a, b in fast_stretches(s) if r["derivative"] else s.segments:
        if step is None:
            found.append((s.t[a:b + 1], s.v[a:b + 1], s.v[a:b + 1]))
            continue
        raw = resampled(s, a, b, step)
        y = smoothed(raw, r["smooth"], step)
        if r["derivative"]:
            y = [r.get("sign", 1) * q for q in derivative(y, step)]
        found.append(([s.t[a] + k * step for k in range(len(raw))], raw, y))
    return found


def count(task):
    r = task["recipe"]
    text = json.dumps(r, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    answer = {"hash": hashlib.sha256(text.encode()).hexdigest(), "runs": None}
    rows = ordered(task["t"], task["v"], task["hr"], *task.get("quality", []))
    answer["dropped"] = dropped_by_gate(rows, r)
    if answer["dropped"] is None:
        return answer
    series = series_of(rows, r)
    if series is None:
        return answer
    limit = r.get("artefact", math.inf)
    still = 2 * r.get("standstill", 0)
    is_mean = r["on"] == "interval_mean"
    answer["runs"] = []
    for t, raw, y in series:
        if is_mean:
            pairs = [(p + q) for p, q in zip(y, y[1:])]
            y_on = [0 if p < still else p / 2 for p in pairs]
        else:
            y_on = y
        need = r.get("confirm_samples", 1)
        spans, k = [], 0
        while k < len(y_on):
            if k + need <= len(y_on) and all(r["enter"] <= q <= limit for q in y_on[k:k + need]):
                end = k + need
                while end < len(y_on) and r["exit"] <= y_on[end] <= limit:
                    end += 1
                spans.append([k, end if is_mean else end - 1])
                k = end
            else:
                k += 1
        joined = []
        for a, b in spans:
            if joined and t[a] - t[joined[-1][1]] < r["merge_ms"]:
                joined[-1][1] = b
            else:
                joined.append([a, b])
        for a, b in joined:
            peak = max(y[a:b + 1])
            if t[b] - t[a] < r["min_ms"] or peak < r.get("peak_min", -math.inf):
                continue
            area = 0
            for i in range(a, b):
                two = raw[i] + raw[i + 1]
                area += two * (t[i + 1] - t[i]) if not is_mean or two >= still else 0
            answer["runs"].append([t[a], t[b] - t[a], peak, area / 2e6])
    return answer
