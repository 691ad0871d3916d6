import type { PitchFrame } from "../../metrics/index.js";
import { isAnyHalf } from "../../squad/half-names.js";
import { teamFrames } from "../../squad/index.js";
import { CDF_PERIODS, cdfLine, snakeCase } from "../../squad-report/tracking-file.js";
import type { Console } from "../terminal/console.js";
import { UsageError } from "../terminal/usage-error.js";
import type { FieldPlayer, PlayedPeriod } from "./pitch-rows.js";

/** Number of halves without and with extra time. */
const NUMBERS_OF_HALVES: readonly number[] = [2, CDF_PERIODS.length];

/**
 * Writes the positions of the players in the format of `asi pitch --format cdf`: one line for each frame of the halves, including those of
 * extra time.
 */
export function trackingFile(
  periods: readonly PlayedPeriod[],
  { name, frame, everyMs }: { name: string; frame: PitchFrame; everyMs: number },
  console: Console,
): ReadableStream<Uint8Array> {
  const named = periods.filter((period) => period.name !== null);
  const halves = named.filter((period) => isAnyHalf({ name: period.name ?? "" }));
  if (!NUMBERS_OF_HALVES.includes(halves.length)) {
    throw new UsageError(
      `The Common Data Format contains the two halves of a match, or four with extra time, but ${halves.length} of the periods have names of halves. Name two periods "1st half" and "2nd half" in --periods.`,
    );
  }
  const others = named.filter((period) => !halves.includes(period));
  if (others.length > 0)
    console.message(
      `The Common Data Format does not support ${others.map((period) => period.name).join(", ")}; omitted.`,
    );
  console.message(
    "The Common Data Format requires a ball and two teams: the positions of the ball are null, and the other team has no players. The format does not contain heart rates.",
  );
  const match = { id: snakeCase(name) || "match", team: "home" };
  const encoder = new TextEncoder();
  function* lines(): Generator<Uint8Array, void, undefined> {
    let frameId = 0;
    for (const [i, half] of halves.sort((a, b) => a.startMs - b.startMs).entries()) {
      for (const one of teamFrames(withIds(half.players), half, frame, everyMs))
        yield encoder.encode(cdfLine(one, frameId++, CDF_PERIODS[i] ?? "second_half", match, frame));
    }
  }
  const rest = lines();
  return new ReadableStream({
    pull(controller) {
      const { value } = rest.next();
      if (value === undefined) controller.close();
      else controller.enqueue(value);
    },
  });
}

/** Gives each player an id in snake case. The second of two equal ids is followed by a number. */
function withIds(players: readonly FieldPlayer[]): (FieldPlayer & { id: string })[] {
  const known = new Set<string>();
  return players.map((player) => {
    const base = snakeCase(player.name) || "player";
    let id = base;
    for (let n = 2; known.has(id); n++) id = `${base}_${n}`;
    known.add(id);
    return { ...player, id };
  });
}
