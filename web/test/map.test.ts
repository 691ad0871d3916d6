import { describe, expect, it } from "vitest";
import { cameraFor, scaleBar, toGround, toScreen, zoomedAt } from "../src/map/camera.js";
import { placesOf } from "../src/map/places.js";
import { boxAround, groundMetres, project, type Track } from "../src/map/projection.js";
import { drawTracks } from "../src/map/raster.js";

const BERN = { latitudeE7: 469_629_000, longitudeE7: 74_648_000 };
const METRES_PER_DEGREE = 111_195; // on a sphere with the Earth's mean radius

function trackOf(positions: [latitude: number, longitude: number][], origin = BERN): Track {
  const latitudes = Int32Array.from(positions, ([latitude]) => Math.round(latitude * 1e7));
  const longitudes = Int32Array.from(positions, ([, longitude]) => Math.round(longitude * 1e7));
  return {
    timesMs: Float64Array.from(positions.keys(), (i) => i * 100),
    ...project(latitudes, longitudes, origin),
    speed: new Int32Array(positions.length).fill(3000),
    origin,
    gapsAfter: new Set(),
  };
}

describe("the projection", () => {
  it("has metres on the ground, with an error below half a percent", () => {
    const { east, north } = trackOf([
      [46.9629, 7.4648],
      [46.9639, 7.4648],
      [46.9629, 7.4658],
    ]);
    expect(Math.abs((north[1] ?? 0) / (METRES_PER_DEGREE / 1000) - 1)).toBeLessThan(0.005);
    const eastward = (METRES_PER_DEGREE / 1000) * Math.cos((46.9629 * Math.PI) / 180);
    expect(Math.abs((east[2] ?? 0) / eastward - 1)).toBeLessThan(0.005);
  });

  it("returns the length of a metre of the map far north of the origin", () => {
    const { north } = trackOf([
      [46.9629, 7.4648],
      [59.9139, 7.4648],
      [59.9149, 7.4648],
    ]);
    expect(groundMetres(BERN, 0)).toBe(1);
    const ground = ((north[2] ?? 0) - (north[1] ?? 0)) * groundMetres(BERN, north[1] ?? 0);
    // positions of the track are rounded to a quarter of a metre here
    expect(Math.abs(ground / (METRES_PER_DEGREE / 1000) - 1)).toBeLessThan(0.01);
  });

  it("keeps a track across the 180th meridian in one piece", () => {
    const origin = { latitudeE7: 0, longitudeE7: 1_799_999_000 };
    const box = boxAround(
      trackOf(
        [
          [0, 179.9999],
          [0, -179.9999],
        ],
        origin,
      ),
    );
    expect((box?.east ?? 0) - (box?.west ?? 0)).toBeLessThan(30);
  });

  it("does not shrink a track to a dot because of one distant position", () => {
    const pitch = Array.from({ length: 5000 }, (_, i): [number, number] => [
      46.9629 + (i % 100) * 1e-5,
      7.4648,
    ]);
    const box = boxAround(trackOf([...pitch, [0, 0]]));
    expect((box?.north ?? 0) - (box?.south ?? 0)).toBeLessThan(2000);
  });
});

describe("tracks on one map", () => {
  /** Returns a square with its south-western corner at this position. */
  const square = (east: number, north: number, length: number) => ({
    west: east,
    south: north,
    east: east + length,
    north: north + length,
  });

  it("belong to one place, such as two adjacent pitches", () => {
    expect(placesOf([square(0, 0, 110), square(5, 0, 100), square(300, 200, 110)])).toEqual([[0, 1, 2]]);
  });

  it("are not from two towns, because each town would be a dot", () => {
    const towns = [square(0, 0, 110), square(20_000, 0, 110), square(50, 10, 100), square(20_100, 0, 110)];
    expect(placesOf(towns)).toEqual([
      [0, 2],
      [1, 3],
    ]);
    // on a map with the run, the match would be a dot
    expect(placesOf([square(0, 0, 5_000), square(0, 15_000, 110)])).toEqual([[0], [1]]);
  });

  it("may have very different lengths if they touch", () => {
    expect(placesOf([square(0, 0, 40_000), square(20_000, 20_000, 3)])).toEqual([[0, 1]]);
    expect(placesOf([square(0, 0, 0), square(0, 900, 0)])).toEqual([[0, 1]]);
    expect(placesOf([square(0, 0, 0), square(0, 1_100, 0)])).toEqual([[0], [1]]);
  });

  it("include all recordings if one has no position", () => {
    expect(placesOf([null, square(0, 0, 110), null])).toEqual([[0, 1, 2]]);
  });
});

describe("the camera", () => {
  const size = { width: 600, height: 400 };
  const camera = cameraFor({ west: -50, east: 50, south: -30, north: 30 }, size, 20);

  it("shows the whole box", () => {
    const { x, y } = toScreen(camera, size, -50, 30);
    expect(x).toBeGreaterThanOrEqual(19.9);
    expect(y).toBeGreaterThanOrEqual(19.9);
  });

  it("keeps the position under the pointer when it zooms", () => {
    const before = toGround(camera, size, 100, 70);
    const after = toGround(zoomedAt(camera, size, 3, 100, 70), size, 100, 70);
    expect(after.east).toBeCloseTo(before.east, 6);
    expect(after.north).toBeCloseTo(before.north, 6);
  });

  it("has a scale bar of a round length", () => {
    expect(scaleBar({ east: 0, north: 0, scale: 5 }, 120)).toEqual({ metres: 20, pixels: 100 });
  });
});

describe("the raster", () => {
  const track = trackOf([
    [46.9629, 7.4648],
    [46.9629, 7.4658],
  ]);
  const drawing = {
    width: 200,
    height: 100,
    pixelRatio: 1,
    camera: { east: 38, north: 0, scale: 2 },
    theme: "light",
    colouring: "speed",
    fastest: 6000,
  } as const;
  const shown = { startMs: 0, stopMs: 100 };

  it("draws only a line from row to row", () => {
    const pixels = drawTracks(drawing, [{ track, shown, number: 0 }]);
    const alphaAt = (x: number, y: number) => pixels[(y * 200 + x) * 4 + 3];
    for (const x of [30, 100, 170]) expect(alphaAt(x, 50)).toBeGreaterThan(200);
    for (const x of [10, 190]) expect(alphaAt(x, 50)).toBe(0);
    expect(alphaAt(100, 44)).toBe(0);
  });

  it("draws the rest of the recording faded", () => {
    const pixels = drawTracks(drawing, [{ track, shown: { startMs: 50, stopMs: 60 }, number: 0 }]);
    expect([...pixels.slice((50 * 200 + 100) * 4, (50 * 200 + 100) * 4 + 3)]).toEqual([217, 222, 230]);
  });

  it("accepts positions all over the world", () => {
    const world = trackOf([
      [90, 180],
      [-90, -180],
      [0, 0],
      [46.9629, 7.4648],
    ]);
    for (const colouring of ["speed", "time", "heat", "recording"] as const) {
      for (const scale of [1e-6, 200]) {
        const camera = { ...drawing.camera, scale };
        drawTracks({ ...drawing, camera, colouring }, [
          { track: world, shown: { startMs: 0, stopMs: 300 }, number: 0 },
        ]);
      }
    }
  });
});
