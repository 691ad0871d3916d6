import { intervalsFor, type SuggestedSubstitutions } from "asi-convert/squad";
import type { Zone } from "../../view/settings.js";
import { timeOfDay } from "../../view/times.js";
import { listed } from "./clock-words.js";
import { changesOf } from "./on-pitch.js";

/** Returns a sentence such as `16:15 Brunner and Vogel off, Fuchs and Koch on. Not on: Berger.` */
export function substitutionText({ periods, players }: SuggestedSubstitutions, zone: Zone): string {
  const changes = players
    .flatMap((player) =>
      changesOf(periods, player).map(({ atMs, kind }) => ({
        player,
        kind,
        minute: timeOfDay(atMs, zone).slice(0, 5),
      })),
    )
    .sort((a, b) => a.minute.localeCompare(b.minute));
  const minutes = [...new Set(changes.map(({ minute }) => minute))];
  const texts = minutes.map((minute) => {
    const kinds = (["off", "on"] as const).flatMap((kind) => {
      const names = changes
        .filter((change) => change.minute === minute && change.kind === kind)
        .map(({ player }) => player);
      return names.length === 0 ? [] : `${listed(names)} ${kind}`;
    });
    return `${minute} ${kinds.join(", ")}.`;
  });
  const limited = periods.filter(({ own }) => own.size > 0);
  const out = players.filter((player) =>
    limited.every((period) => intervalsFor(period, player).length === 0),
  );
  return [...texts, ...(out.length === 0 ? [] : [`Not on: ${listed(out)}.`])].join(" ");
}
