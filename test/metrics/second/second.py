"""Computes figures a second time, from docs/metrics.md and without code of the product. Uses only the standard library.

Reads {"tasks": [{"figure": name, ...}, ...]} from the standard input and prints the answers as a JSON array.
"""

import json
import sys

import beats
import hrv
import load
import metabolic
import peaks
import speed_profile
import pitch
import recipes
import standard_runs
import zones

FIGURES = {
    "peaks": peaks.peaks,
    "fits": peaks.fits,
    "pitch": pitch.pitch,
    "energy": metabolic.estimate,
    "profile": speed_profile.profile,
    "load": load.over_days,
    "load of matches": load.of_matches,
    "trimp": load.trimp,
    "intervals of a track": beats.placed,
    "speeds at times": beats.speeds,
    "rows in a heart-rate range": beats.in_range,
    "hrv": hrv.variability,
    "recipe": recipes.count,
    "standard runs": standard_runs.runs,
    "zones": zones.individual,
}

tasks = json.load(sys.stdin)["tasks"]
json.dump([FIGURES[task["figure"]](task) for task in tasks], sys.stdout)
