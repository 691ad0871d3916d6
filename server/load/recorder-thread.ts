import { move } from "piscina";
import type { Recorded } from "./recorder.js";
import { recordingOf } from "./truth.js";

export default async ({ serial, match }: Recorded) => move(await recordingOf(serial, match));
