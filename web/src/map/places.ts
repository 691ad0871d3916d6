import { type Box, joinBoxes } from "./projection.js";

/** Tracks whose distance is greater than this multiple of the smaller one's length would be dots on a common map. */
const FAR = 10;
/** Assumed length of the track of an athlete who hardly moved, m. */
const LEAST_LENGTH_M = 100;

/** Groups tracks by place. Each group fits onto one map. @returns the numbers of the tracks of each place */
export function placesOf(boxes: readonly (Box | null)[]): number[][] {
  const places: { box: Box | null; numbers: number[] }[] = [];
  for (const [number, box] of boxes.entries()) {
    const near = places.find((place) => isNear(place.box, box));
    if (near === undefined) {
      places.push({ box, numbers: [number] });
    } else {
      near.box = joinBoxes([near.box, box]);
      near.numbers.push(number);
    }
  }
  return places.map(({ numbers }) => numbers);
}

function isNear(a: Box | null, b: Box | null): boolean {
  // a track without positions is on every map
  if (a === null || b === null) return true;
  const east = Math.max(0, a.west - b.east, b.west - a.east);
  const north = Math.max(0, a.south - b.north, b.south - a.north);
  const smaller = Math.max(LEAST_LENGTH_M, Math.min(lengthOf(a), lengthOf(b)));
  return Math.hypot(east, north) <= FAR * smaller;
}

const lengthOf = ({ west, south, east, north }: Box) => Math.max(east - west, north - south);
