/** Mean radius of the Earth (IUGG), mm. */
const EARTH_RADIUS_MM = 6_371_009_000;
const RADIANS_PER_E7 = Math.PI / 180 / 1e7;

/** Returns the distance in mm between two positions in 1e-7 degrees along the great circle (haversine formula). */
export function distanceMm(
  latitude1: number,
  longitude1: number,
  latitude2: number,
  longitude2: number,
): number {
  const north = Math.sin(((latitude2 - latitude1) * RADIANS_PER_E7) / 2);
  const east = Math.sin(((longitude2 - longitude1) * RADIANS_PER_E7) / 2);
  const parallel = Math.cos(latitude1 * RADIANS_PER_E7) * Math.cos(latitude2 * RADIANS_PER_E7);
  const halfChord = Math.sqrt(north * north + parallel * east * east);
  return 2 * EARTH_RADIUS_MM * Math.asin(Math.min(1, halfChord));
}
