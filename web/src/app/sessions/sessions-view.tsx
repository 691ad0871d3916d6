import { lazily } from "../parts/lazily.js";
import type { ViewProps } from "../view.js";
import "./sessions.css";

// loaded separately, because few visits need all of them
const SessionCalendar = lazily(async () => (await import("./session-calendar.js")).SessionCalendar);
const SessionPage = lazily(async () => (await import("./session-page.js")).SessionPage);
const NewSession = lazily(async () => (await import("./new-session.js")).NewSession);
const SessionSquad = lazily(async () => (await import("./session-squad.js")).SessionSquad);

/** `#/sessions`, `#/sessions/new`, `#/sessions/5` and `#/sessions/5/squad`. The viewer shows the last one. */
export function SessionsView(props: ViewProps) {
  const [session, part] = props.params;
  if (session === undefined) return <SessionCalendar {...props} />;
  if (session === "new") return <NewSession {...props} />;
  const id = Number(session);
  return part === "squad" ? (
    <SessionSquad key={id} {...props} id={id} />
  ) : (
    <SessionPage key={id} {...props} id={id} />
  );
}
