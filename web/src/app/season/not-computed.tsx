import { type Client, unwrap } from "asi-client";
import { useState } from "preact/hooks";
import type { Zone } from "../../view/settings.js";
import { day } from "../../view/times.js";
import { Action, ProblemOf, useProblem } from "../parts/action.js";
import type { SeasonSession } from "./season-data.js";

/** Number of sessions that the page lists. For further sessions, it shows only their number. */
const NAMED = 5;

export interface MissingProps {
  client: Client;
  sessions: readonly SeasonSession[];
  zone: Zone;
  nameOf: (athlete: number) => string;
  /** Called when the figures are computed. */
  onDone: () => void;
}

/** The sessions whose figures are missing or outdated, and that no job computes. The table of a session computes them. */
export function NotComputed({ client, sessions, zone, nameOf, onDone }: MissingProps) {
  const problem = useProblem();
  const [done, setDone] = useState(0);
  const missing = sessions
    .filter(({ not_computed, computing }) => not_computed.length > 0 && !computing)
    .reverse();
  if (missing.length === 0) return null;
  const others = missing.length - NAMED;
  return (
    <section class="panel padded not-computed" aria-label="Figures that are not computed">
      <div class="section-head">
        <h2>Figures that are not computed</h2>
        <Action
          problem={problem}
          failed="Not all figures are computed."
          busy={`Computing, ${done} of ${missing.length} sessions…`}
          work={async () => {
            try {
              for (const [i, { id }] of missing.entries()) {
                setDone(i);
                const params = { path: { session: id } };
                await unwrap(client.GET("/api/v2/sessions/{session}/figures/", { params }));
              }
            } finally {
              onDone();
            }
            return "The figures are computed.";
          }}
        >
          Compute them
        </Action>
      </div>
      <ProblemOf problem={problem} />
      <ul>
        {missing.slice(0, NAMED).map(({ id, name, start_time, not_computed }) => (
          <li key={id}>
            <a href={`#/sessions/${id}`}>
              {name}, {day(Date.parse(start_time), zone)}
            </a>
            : {not_computed.map(nameOf).join(", ")}
          </li>
        ))}
        {others > 0 ? <li>and {others} more sessions</li> : null}
      </ul>
    </section>
  );
}
