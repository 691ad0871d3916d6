// This part is loaded when a user follows a session, because few sessions run at a time.
export { LiveSession } from "./live-session.js";
