import { AsiError } from "../../errors.js";
import type { WrittenFile } from "../../files/output-file.js";
import { count } from "../../pictures/figure-text.js";
import { decodeTrackBeats, type TrackSummary } from "../../tracks/decode-track.js";
import type { BeatBatch } from "../../types.js";
import { type Context, runBatch } from "../batch/batch.js";
import { type Input, nameOf, openInput } from "../batch/inputs.js";
import { refuseAsOutput, streamOf, writeOutput } from "../batch/output.js";
import { ExitStatus } from "../terminal/exit-status.js";
import type { LineWriter } from "../terminal/line-writer.js";
import { refuseWithoutEffect } from "../terminal/usage-error.js";
import { damagedTrack } from "./encode-input.js";
import { formatOf, type WaveformFlags } from "./write-waveform.js";

/** Beats of a recording, or of a track, which have no quality. */
export type AnyBeats = Omit<BeatBatch, "quality"> & Partial<Pick<BeatBatch, "quality">>;

interface Written {
  /** Null if the output is the standard output. */
  file: WrittenFile | null;
  length: number;
  summary: TrackSummary;
}

/** Writes the RR intervals of a track to the file of `-o` or to the standard output. */
export function trackBeats(
  track: Input,
  flags: WaveformFlags,
  context: Context,
  formats: Readonly<Record<string, () => Promise<LineWriter<AnyBeats>>>>,
): Promise<ExitStatus> {
  const { console, signal } = context;
  const { output = "-", force } = flags;
  refuseWithoutEffect(flags, ["serial"], "has no effect on a FIT, GPX or TCX file; omit it");
  const format = formatOf(flags, Object.keys(formats));
  refuseAsOutput(output, [track]);
  return runBatch<Written>(context, {
    inputs: [track],
    json: false,
    async work(input, _, onProgress) {
      const writer = await formats[format]?.();
      if (writer === undefined) throw new RangeError(`there is no format ${format}`);
      const decoding = decodeTrackBeats(openInput(input, onProgress));
      const pieces: Uint8Array[] = [];
      let length = 0;
      for await (const batch of decoding) {
        length += batch.length;
        pieces.push(...writer.batch(batch));
      }
      const summary = await decoding.summary;
      if (length === 0) throw new AsiError("NO_SAMPLES", withoutBeatsText(summary));
      pieces.push(...writer.end());
      const file = await writeOutput(streamOf(pieces), output, { force, signal });
      return { file, length, summary };
    },
    async show({ file, length, summary: { damage, leftOut } }, input) {
      const name = nameOf(input);
      if (file !== null) console.message(`${name}: ${count(length, "beat")} -> ${file.path}`);
      if (leftOut.intervals > 0) console.message(`${name}: ${omittedText(leftOut.intervals)}`);
      if (damage !== null) console.message(`${name}: `, ...damagedTrack(console, damage));
    },
    toJson: () => ({}),
    statusOf: ({ summary }) => (summary.damage === null ? ExitStatus.done : ExitStatus.doneWithDamage),
  });
}

const omittedText = (intervals: number) =>
  `${count(intervals, "RR interval")} omitted: before the first time of the track, or with a length of 0 or more than 60 s`;

function withoutBeatsText({ leftOut: { intervals } }: TrackSummary): string {
  if (intervals === 0) return "The track has no RR intervals.";
  return `The track has no usable RR intervals. ${omittedText(intervals)}.`;
}
