"""A second implementation of pitch and team, with a rotation by complex numbers, and the hull by gift wrapping."""

import cmath
import math


def frame(corners, length=None, width=None):
    lat = math.fsum(p[0] for p in corners) / 4
    lon = math.fsum(p[1] for p in corners) / 4
    a, f = 6378137.0, 1 / 298.257223563
    e2 = f * (2 - f)
    w = 1 - e2 * math.sin(math.radians(lat)) ** 2
    east = math.radians(1) * a / math.sqrt(w) * math.cos(math.radians(lat))
    north = math.radians(1) * a * (1 - e2) / w ** 1.5
    flat = lambda p: complex((p[1] - lon) * east, (p[0] - lat) * north)
    z = [flat(p) for p in corners]
    length = length or (abs(z[1] - z[0]) + abs(z[2] - z[3])) / 2
    width = width or (abs(z[2] - z[1]) + abs(z[3] - z[0])) / 2
    ideal = [complex(sx * length / 2, sy * width / 2) for sx, sy in ((-1, -1), (1, -1), (1, 1), (-1, 1))]
    centre = sum(z) / 4
    turn = cmath.phase(sum(u.conjugate() * (q - centre) for u, q in zip(ideal, z)))
    back = cmath.exp(-1j * turn)
    to = lambda p: (flat(p) - centre) * back + complex(length, width) / 2
    rms = math.sqrt(sum(abs((q - centre) * back - u) ** 2 for q, u in zip(z, ideal)) / 4)
    return length, width, math.degrees(turn), rms, to


def wrapped(points):
    start = min(points)
    hull, here = [start], start
    while True:
        best = None
        for p in points:
            if p == here:
                continue
            if best is None:
                best = p
                continue
            cross = (best[0] - here[0]) * (p[1] - here[1]) - (best[1] - here[1]) * (p[0] - here[0])
            if cross < 0 or (cross == 0 and math.dist(here, p) > math.dist(here, best)):
                best = p
        if best is None or best == start:
            return hull
        hull.append(best)
        here = best


def pitch(task):
    length, width, degrees, rms, to = frame(task["corners"], task.get("length"), task.get("width"))
    players = [to(p) for p in task["players"]]
    xy = [(p.real, p.imag) for p in players]
    answer = {"frame": [length, width, degrees, rms], "players": xy, "shape": None}
    if len(xy) >= 3:
        c = sum(players) / len(players)
        hull = wrapped(xy)
        area = abs(math.fsum(p[0] * q[1] - q[0] * p[1] for p, q in zip(hull, hull[1:] + hull[:1]))) / 2
        answer["shape"] = [
            c.real, c.imag, math.fsum(abs(p - c) for p in players) / len(players), area,
            max(p[0] for p in xy) - min(p[0] for p in xy), max(p[1] for p in xy) - min(p[1] for p in xy),
        ]
    return answer
