import type { Damage, SampleBatch } from "asi-convert";
import { drawTracks } from "../map/raster.js";
import { metabolicPowerOf, standardRunsOf } from "./estimates.js";
import { figuresOf } from "./figures.js";
import { heartRangeOf } from "./heart-range.js";
import type { RecordingService, RequestName, Requests } from "./messages.js";
import { peaksOf } from "./peaks.js";
import { recipeFiguresOf } from "./recipe.js";
import type { Recording } from "./recording.js";
import { profileOf } from "./speed-profile.js";

/** Reads one recording in the page, because a page that is opened from the disk cannot start a worker. */
export class LocalReader implements RecordingService {
  readonly canSave = false;
  readonly #recording: Recording;
  readonly #rows: SampleBatch;
  readonly #damage: Damage;

  constructor(recording: Recording, rows: SampleBatch, damage: Damage) {
    this.#recording = recording;
    this.#rows = rows;
    this.#damage = damage;
  }

  async ask<Name extends RequestName>(
    name: Name,
    asked: Requests[Name]["asked"],
  ): Promise<Requests[Name]["answered"]> {
    const request = { name, asked } as {
      [N in RequestName]: { name: N; asked: Requests[N]["asked"] };
    }[RequestName];
    return this.#answer(request) as Requests[Name]["answered"];
  }

  #answer(request: { [N in RequestName]: { name: N; asked: Requests[N]["asked"] } }[RequestName]): unknown {
    const { track } = this.#recording;
    switch (request.name) {
      case "draw": {
        const { drawing, recordings } = request.asked;
        return drawTracks(
          drawing,
          recordings.map(({ shown, number }) => ({ track, shown, number })),
        );
      }
      case "figures":
        return figuresOf(this.#rows, request.asked.shown, request.asked.settings);
      case "peaks":
        return peaksOf(this.#rows, request.asked.settings);
      case "profile":
        return profileOf(this.#rows, request.asked.settings);
      case "metabolicPower":
        return metabolicPowerOf(this.#rows, request.asked.shown, request.asked.settings);
      case "standardRuns":
        return standardRunsOf(this.#rows, request.asked.settings);
      case "heartRange":
        return heartRangeOf(this.#rows, request.asked.range, request.asked.settings);
      case "recipe":
        return recipeFiguresOf(this.#rows, request.asked.shown, request.asked.recipe);
      case "findDamage":
        return this.#damage;
      default:
        throw new Error(`A report cannot ${request.name}.`);
    }
  }
}
