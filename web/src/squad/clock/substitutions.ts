import { effect, type Signal, signal } from "@preact/signals";
import { nameKey, type SuggestedSubstitutions, suggestSubstitutions } from "asi-convert/squad";
import type { LookAt } from "../look-at-item.js";
import type { SquadSession } from "../squad-session.js";

/** Delay of the search after the last change of periods, ms, so that it does not run at each step of a drag. */
const QUIET_MS = 200;

/** Suggested players who come on, go off or sit out in the periods of a session; null while unknown, and if there are none. */
export function substitutionsOf(session: SquadSession): Signal<SuggestedSubstitutions | null> {
  const found = signal<SuggestedSubstitutions | null>(null);
  effect(() => {
    const periods = session.periods.value;
    const players = session.players.value;
    found.value = null;
    if (session.isReading.value || periods.length === 0) return;
    const timer = setTimeout(() => {
      const suggested = suggestSubstitutions(periods, players);
      if (suggested.players.length > 0) found.value = suggested;
    }, QUIET_MS);
    return () => clearTimeout(timer);
  });
  return found;
}

export const seemText = ({ players }: SuggestedSubstitutions) =>
  players.length === 1
    ? "1 player seems to come on, go off or sit out:"
    : `${players.length} players seem to come on, go off or sit out:`;

export function takeSubstitutions(session: SquadSession, { periods }: SuggestedSubstitutions): void {
  session.periodSteps.change({ periods });
}

/** While periods of these names have no times of players, all play all the time. */
const refusalKey = ({ periods }: SuggestedSubstitutions) =>
  `all played ${periods.map(({ name }) => nameKey(name)).join()}`;

export function reftakeSubstitutions(session: SquadSession, suggested: SuggestedSubstitutions): void {
  session.ignored.value = new Set([...session.ignored.peek(), refusalKey(suggested)]);
}

export const areRefused = (session: SquadSession, suggested: SuggestedSubstitutions): boolean =>
  session.ignored.value.has(refusalKey(suggested));

/** Without times of substitutes the bench counts as playing. */
export function ofSubstitutions(
  session: SquadSession,
  suggested: SuggestedSubstitutions | null,
  onLook: () => void,
): LookAt[] {
  if (suggested === null || areRefused(session, suggested)) return [];
  return [
    {
      key: "substitutions",
      sign: "share",
      where: "Periods",
      what: seemText(suggested),
      meaning:
        "they leave or join the others on the pitch. Until their times are used, the bench counts as playing.",
      actions: [
        { name: "Look", press: onLook },
        { name: "Use", press: () => takeSubstitutions(session, suggested), isPrimary: true },
        { name: "All played", press: () => reftakeSubstitutions(session, suggested) },
      ],
    },
  ];
}
