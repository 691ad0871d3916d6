// Loaded when somebody follows a session: few sessions run at the moment.
export { LiveSession } from "./live-session.js";
