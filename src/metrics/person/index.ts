export {
  type AccelerationSpeedProfile,
  accelerationSpeedProfile,
  PROFILE_VERSION,
  type ProfileOptions,
} from "./acceleration-speed.js";
export {
  type SeasonMaxSpeed,
  type SessionMaxSpeed,
  seasonMaxSpeed,
  sessionMaxSpeed,
} from "./max-speed.js";
export { individualZones, type PersonSpeeds } from "./zones.js";
