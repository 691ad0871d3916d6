// The parts of a session for managers who do not own its squad: loaded together, because few users need them.
export { ReplacePeriods } from "./replace-periods.js";
export { SessionTable } from "./session-table.js";
