export {
  type DayLoad,
  LOAD_VERSION,
  type LoadOptions,
  loadOverDays,
  type SessionLoad,
} from "./load-over-days.js";
export { type TrimpMethod, trimp } from "./trimp.js";
