import type { SuggestedSubstitutions } from "asi-convert/squad";
import { ignore } from "../ignore.js";
import { refusalOf } from "../ignored.js";
import type { LookAt } from "../look-at-item.js";
import type { SquadSession } from "../squad-session.js";

export const seemText = ({ players }: SuggestedSubstitutions) =>
  players.length === 1
    ? "1 player seems to come on, go off or sit out:"
    : `${players.length} players seem to come on, go off or sit out:`;

export function takeSubstitutions(session: SquadSession, { periods }: SuggestedSubstitutions): void {
  session.periodSteps.change({ periods });
}

export const refuseSubstitutions = (session: SquadSession, { periods }: SuggestedSubstitutions): void =>
  ignore(session, refusalOf(session, "all played", periods));

/** Reports players whose times as substitutes are missing. Without these times, time on the bench counts as playing. */
export function ofSubstitutions(
  session: SquadSession,
  suggested: SuggestedSubstitutions | null,
  onLook: () => void,
): LookAt[] {
  if (suggested === null || session.played.isRefused(suggested)) return [];
  return [
    {
      key: "substitutions",
      sign: "share",
      where: "Periods",
      what: seemText(suggested),
      meaning:
        "they leave or join the others on the pitch. Until their times are used, time on the bench counts as playing, except in means.",
      actions: [
        { name: "Look", press: onLook },
        { name: "Use", press: () => takeSubstitutions(session, suggested), isPrimary: true },
        { name: "All played", press: () => refuseSubstitutions(session, suggested) },
      ],
    },
  ];
}
