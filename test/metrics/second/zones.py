"""A second implementation of individual zones, as exact fractions of the speeds in mm/s."""

from fractions import Fraction


def individual(task):
    mss = Fraction(task["mss_mm_per_s"], 1000)
    if task["kind"] == "mss":
        bounds = [mss * share / 100 for share in (60, 80, 90)]
        return {"ranges": numbers([0, *bounds]), "sprint": float(bounds[1]), "high": numbers(bounds[:2])}
    mas = Fraction(task["mas_mm_per_s"], 1000)
    sprint = mas + (mss - mas) * 3 / 10
    bounds = [mas * 6 / 10, mas * 8 / 10, mas, sprint]
    return {"ranges": numbers([0, *bounds]), "sprint": float(sprint), "high": numbers(bounds[1:3])}


def numbers(fractions):
    return [float(f) for f in fractions]
