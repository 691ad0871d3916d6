export {
  type GeoPoint,
  type PitchCorners,
  type PitchFrame,
  type PitchPoint,
  type PitchSize,
  pitchFrame,
} from "./frame.js";
export { type HeatMap, heatMap } from "./heat-map.js";
export { type TeamShape, teamShape } from "./team-shape.js";
