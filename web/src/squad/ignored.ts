import type { ReadonlySignal } from "@preact/signals";

/** A problem or a suggestion that the user has dismissed. */
export interface Ignored {
  key: string;
  /** Ids of the recordings that it concerns. Without ids, it concerns all sessions. */
  recordings: readonly number[];
}

export const idsOf = (recordings: readonly { id: number }[]): number[] => recordings.map(({ id }) => id);

export const isIgnored = (ignored: readonly Ignored[], { key, recordings }: Ignored): boolean =>
  ignored.some(
    (one) =>
      one.key === key && (recordings.length === 0 || one.recordings.some((id) => recordings.includes(id))),
  );

/** Returns the dismissal of suggested periods for the current session. */
export const refusalOf = (
  { shownRecordings }: { shownRecordings: ReadonlySignal<readonly { id: number }[]> },
  answer: "all played" | "no periods",
  periods: readonly { name: string }[],
): Ignored => ({
  key: `${answer} ${periods.map(({ name }) => name).join()}`,
  recordings: idsOf(shownRecordings.value),
});
