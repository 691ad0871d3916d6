"""Counts by a recipe a second time, and the hash of its canonical text."""

import hashlib
import json
import math

from signal_steps import Signal, derivative, fast_stretches, low_pass, ordered, resampled


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


def series_of(rows, r):
    s = Signal(
        rows, r["max_valid"], r.get("standstill", 0), r["gap"]["min_ms"], r["gap"]["steps"], "spike" in r
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
    series = series_of(ordered(task["t"], task["v"], task["hr"]), r)
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
