// Loaded when somebody follows a session, because few sessions run at a time.
export { LiveSession } from "./live-session.js";
