export {
  type AccelerationSpeedProfile,
  accelerationSpeedProfile,
  PROFILE_GATE,
  PROFILE_VERSION,
  type ProfileOptions,
  type ProfilePoint,
} from "./acceleration-speed.js";
export {
  SEASON_DAYS,
  type SeasonMaxSpeed,
  type SessionMaxSpeed,
  seasonMaxSpeed,
  sessionMaxSpeed,
} from "./max-speed.js";
export {
  type GatedProfile,
  type PooledProfile,
  PROFILE_DAYS,
  type ProfileSpeeds,
  pooledProfile,
  profileSpeeds,
  sessionProfile,
} from "./pooled-profile.js";
export { individualZones, type PersonSpeeds } from "./zones.js";
