// The parts of a session for managers who do not own its squad. They form one bundle, because few users need them.
export { ReplacePeriods } from "./replace-periods.js";
export { SessionTable } from "./session-table.js";
