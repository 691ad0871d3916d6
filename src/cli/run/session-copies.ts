import { type CountedRecording, originalOf, simultaneousText, simultaneousWith } from "./counted-once.js";
import type { SessionTask, SessionWork } from "./session-work.js";
import { copyText } from "./squad-recordings.js";

const NOTHING: Pick<SessionWork, "played" | "takenForMatches" | "messages" | "present" | "counted"> = {
  played: [],
  takenForMatches: [],
  messages: [],
  present: [],
  counted: [],
};

/**
 * Removes recordings from a session that earlier sessions include, because a recording and its copies count once.
 *
 * @param earlier the recordings that the figures of earlier sessions include
 * @param again computes a session with some of its recordings
 * @returns also messages about the removed recordings, and about recordings with rows at the same times as earlier ones
 */
export async function withoutCopies(
  task: SessionTask,
  found: SessionWork,
  earlier: readonly CountedRecording[],
  again: (task: SessionTask) => Promise<SessionWork>,
): Promise<{ work: SessionWork; texts: string[] }> {
  const copies = new Map(
    found.contents.flatMap(([name, content]) => {
      const original = originalOf({ content }, earlier);
      return original === undefined ? [] : [[name, original.name] as const];
    }),
  );
  const inputs = task.inputs.filter(({ name }) => !copies.has(name));
  const work =
    copies.size === 0
      ? found
      : inputs.length === 0
        ? { ...found, ...NOTHING }
        : await again({ ...task, inputs, otherNames: found.present.map(({ name }) => name) });
  const doubts = work.counted.flatMap((one) => {
    const other = simultaneousWith(one, earlier);
    return other === undefined
      ? []
      : [simultaneousText(one.name, other.name, `the season of ${one.player ?? one.serial}`)];
  });
  return { work, texts: [...[...copies].map(([name, original]) => copyText(name, original)), ...doubts] };
}
