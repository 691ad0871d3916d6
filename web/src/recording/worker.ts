import { AsiError, findDamage, type SampleBatch } from "asi-convert";
import type { Origin } from "../map/projection.js";
import { drawTracks } from "../map/raster.js";
import { answerCalls, type Handlers } from "./answer-calls.js";
import type { Requests, SavedPart } from "./messages.js";
import { type FactsOfFile, prepare } from "./prepare.js";
import { readFile } from "./read-file.js";
import type { HeartBeats, Recording } from "./recording.js";
import type { SavedRecording } from "./save.js";
import type { SquadRequests } from "./squad/messages.js";
import type { Waveform } from "./waveform.js";

/** The worker's data of an open recording. */
interface OpenRecording {
  recording: Recording;
  rows: SampleBatch;
  /** The file, or null for data that did not come from a file. */
  file: File | null;
  /** The waveform, after the first request for the beats. */
  waveform?: Waveform;
  beats?: HeartBeats;
  /** The rows with their quality, if any, after a request for a recipe with a gate. */
  withQuality?: SampleBatch;
}

const open = new Map<number, OpenRecording>();
let lastId = 0;

const handlers: Handlers<Requests> = {
  async open({ file, serial, origin }, { onProgress, signal }) {
    const { batches, facts, unpacked } = await readFile(file, { serial, onProgress, signal });
    return keep(batches, facts, unpacked, origin);
  },
  async fetchRange({ range, origin }, { onProgress, signal }) {
    const { fetchRange } = await import("./fetch-range.js");
    const { batches, facts } = await fetchRange(range, { onProgress, signal });
    signal.throwIfAborted();
    return keep(batches, facts, null, origin);
  },
  // loaded on demand, because the first picture does not need it
  async demonstrate({ number }) {
    const { demonstration } = await import("./demonstration.js");
    return demonstration(number);
  },
  close({ id }) {
    open.delete(id);
    return null;
  },
  draw({ drawing, recordings }) {
    return drawTracks(
      drawing,
      recordings.map(({ id, shown, number }) => ({ track: find(id).recording.track, shown, number })),
    );
  },
  async figures({ id, shown, settings }) {
    const { figuresOf } = await import("./figures.js");
    return figuresOf(find(id).rows, shown, settings);
  },
  async distance({ id, settings }) {
    const { distanceOf } = await import("./figures.js");
    return distanceOf(find(id).rows, settings);
  },
  async peaks({ id, settings }) {
    const { peaksOf } = await import("./peaks.js");
    return peaksOf(find(id).rows, settings);
  },
  async profile({ id, settings }) {
    const { profileOf } = await import("./speed-profile.js");
    return profileOf(find(id).rows, settings);
  },
  async metabolicPower({ id, shown, settings }) {
    const { metabolicPowerOf } = await import("./estimates.js");
    return metabolicPowerOf(find(id).rows, shown, settings);
  },
  async standardRuns({ id, settings }) {
    const { standardRunsOf } = await import("./estimates.js");
    return standardRunsOf(find(id).rows, settings);
  },
  async heartRange({ id, range, settings }) {
    const { heartRangeOf } = await import("./heart-range.js");
    return heartRangeOf(find(id).rows, range, settings);
  },
  async recipe({ id, shown, recipe }) {
    const { recipeFiguresOf } = await import("./recipe.js");
    const found = find(id);
    if (recipe.gate === null) return recipeFiguresOf(found.rows, shown, recipe);
    if (found.withQuality === undefined) {
      const { readQuality } = await import("./quality.js");
      found.withQuality = (await readQuality(found.file, found.recording)) ?? found.rows;
    }
    return recipeFiguresOf(found.withQuality, shown, recipe);
  },
  async heart({ id }) {
    const { readHeart } = await import("./heart.js");
    const found = find(id);
    if (found.file === null) return null;
    const read = await readHeart(found.file, found.recording);
    if (read === null) return null;
    if (read.waveform !== null) found.waveform = read.waveform;
    found.beats = read.heart.beats;
    return read.heart;
  },
  waveform({ id, shown, pixels }) {
    const { waveform } = find(id);
    if (waveform === undefined) throw new Error(`The waveform of the recording ${id} has not been read.`);
    return { columns: waveform.columnsIn(shown, pixels), offsetMs: 0, marks: [], range: waveform.range };
  },
  async variability({ id, shown, atRest }) {
    const { variabilityOf } = await import("./variability.js");
    const { beats } = find(id);
    if (beats === undefined) throw new Error(`The beats of the recording ${id} have not been read.`);
    return variabilityOf(beats, shown, atRest);
  },
  async findDamage({ id }) {
    const { file, recording } = find(id);
    if (file === null) return { places: [], hasMore: false };
    return findDamage(file, { serial: recording.facts.info?.serial });
  },
  async ownParameters({ player }) {
    const { ownParameters } = await import("./squad/own-parameters.js");
    return ownParameters(player);
  },
  async save({ format, options, ...part }) {
    const { save } = await import("./save.js");
    return save(savedOf(part), format, options);
  },
  async saveTogether({ parts, options }) {
    const { saveTogether } = await import("./save.js");
    return saveTogether(parts.map(savedOf), options);
  },
};

function keep(
  batches: readonly SampleBatch[],
  facts: FactsOfFile,
  file: File | null,
  origin: Origin | null,
): Recording {
  const id = ++lastId;
  const prepared = prepare(id, batches, facts, origin ?? undefined);
  if (prepared.rows.length === 0) {
    throw new AsiError(
      "NO_SAMPLES",
      "The file has no sample with a time and a position, so there is nothing to show. A receiver needs a view of the sky.",
    );
  }
  open.set(id, { ...prepared, file });
  return prepared.recording;
}

function savedOf({ id, part }: SavedPart): SavedRecording {
  const { recording, file, rows } = find(id);
  return { facts: recording.facts, file: file ?? new Blob([]), rows, part };
}

function find(id: number): OpenRecording {
  const found = open.get(id);
  if (found === undefined) throw new Error(`The recording ${id} is closed.`);
  return found;
}

/** Handlers of the squad view, loaded with the first recording of a squad. */
const loadSquad = async () => (await import("./squad/squad-handlers.js")).squadHandlers;

const squad: Handlers<SquadRequests> = {
  peek: async (asked, hooks) => (await loadSquad()).peek(asked, hooks),
  read: async (asked, hooks) => (await loadSquad()).read(asked, hooks),
  readRange: async (asked, hooks) => (await loadSquad()).readRange(asked, hooks),
  adopt: async (asked, hooks) => (await loadSquad()).adopt(asked, hooks),
  demoFile: async (asked, hooks) => (await loadSquad()).demoFile(asked, hooks),
  forget: async (asked, hooks) => (await loadSquad()).forget(asked, hooks),
  memberFigures: async (asked, hooks) => (await loadSquad()).memberFigures(asked, hooks),
};

answerCalls<Requests & SquadRequests>({ ...handlers, ...squad });
