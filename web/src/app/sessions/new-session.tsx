import { announce } from "../parts/announcements.js";
import type { ViewProps } from "../view.js";
import { SessionForm } from "./session-form.js";

/** The form for a new session. The address can contain its times. */
export function NewSession(props: ViewProps) {
  const { query, go } = props;
  const [startMs, endMs] = [Date.parse(query.get("from") ?? ""), Date.parse(query.get("to") ?? "")];
  return (
    <>
      <p class="back">
        <a href="#/sessions">All sessions</a>
      </p>
      <h1>New session</h1>
      <section class="panel padded narrow">
        <SessionForm
          {...props}
          session={null}
          first={startMs < endMs ? { startMs, endMs, squad: query.get("squad") } : undefined}
          onCancel={() => go("/sessions")}
          onDone={({ id, name }) => {
            go(`/sessions/${id}`);
            announce(`${name} is created.`);
          }}
        />
      </section>
    </>
  );
}
