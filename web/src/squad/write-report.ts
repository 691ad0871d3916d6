import { instantFormat, offsetIn } from "asi-convert/squad";
import { zoneName } from "../view/times.js";
import { playersText, sessionName } from "./scope-words.js";
import { inShownOrder, orderOf } from "./shown-order.js";
import type { SquadSession } from "./squad-session.js";
import { tableScopes } from "./table-scopes.js";

/** Writes the report of the session as one HTML file, as `asi squad -o match.html` does. */
export async function reportFile(session: SquadSession): Promise<Blob> {
  const { squadReport } = await import("asi-convert/squad-report");
  const { onPaper } = await import("./recipes/on-paper.js");
  const { columns, named } = session.recipes.peek();
  const { recipes, optionalColumns } = onPaper({ named, columns });
  const order = { ...orderOf(session), counts: columns };
  const periods = session.periods.peek();
  const interval = session.interval.peek() ?? { startMs: 0, endMs: 0 };
  const timeZone = zoneName(session.settings.zone.peek());
  const instantText = instantFormat(timeZone);
  const clock = (ms: number) => instantText(ms).slice(11, 16);
  const whole = await session.rowsOf({ kind: "session" });
  const parts = await Promise.all(tableScopes(periods).map((scope) => session.rowsOf(scope)));
  const html = squadReport({
    title: sessionName(session),
    subtitle: `${instantText(interval.startMs).slice(0, 10)}, ${clock(interval.startMs)} to ${clock(interval.endMs)} (${timeZone}), ${playersText(session.players.peek())}`,
    rows: [...inShownOrder(whole, order), ...whole.flatMap((_, i) => parts.flatMap((rows) => rows[i] ?? []))],
    periods,
    recipes,
    further: optionalColumns,
    zones: session.zones.peek() ?? undefined,
    offsetMs: offsetIn(timeZone, interval.startMs),
  });
  return new Blob([html], { type: "text/html" });
}
