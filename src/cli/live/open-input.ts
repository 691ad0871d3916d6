import { constants, createReadStream, openSync, statSync } from "node:fs";
import { isatty, ReadStream } from "node:tty";
import { writeHeader } from "../../recording/header.js";
import { frame } from "../../recording/ubx.js";
import { UsageError } from "../terminal/usage-error.js";
import { FileInput } from "./file-input.js";
import { KeptInput } from "./kept-input.js";
import type { StreamInput } from "./stream-input.js";

export interface InputSettings {
  serial: string;
  /** Name of the recording; if undefined, it is derived from the content or the current time. */
  recording?: string | undefined;
  /** Speed of a replay; null to send bytes as fast as they arrive. */
  speed: number | null;
}

/** Opens a file, standard input (`-`) or a device. @throws UsageError; system errors */
export async function openInput(path: string, settings: InputSettings): Promise<StreamInput> {
  const { serial, speed } = settings;
  const stat = path === "-" ? null : statSync(path);
  if (stat?.isFile() === true) return FileInput.open(path, serial, speed, settings.recording);
  if (speed !== null) throw new UsageError("Only a file can be replayed: --replay needs the name of a file.");
  if (stat?.isDirectory() === true) throw new UsageError(`${path} is a folder; give a file or a device.`);
  const recording = settings.recording ?? `${serial}-${new Date().toISOString().replaceAll(":", "")}`;
  if (stat === null) return new KeptInput(process.stdin, recording);
  if (!stat.isCharacterDevice()) return new KeptInput(createReadStream(path), recording);
  // a device is usually in the middle of its stream, so the recording gets a header; a later header from the device has no
  // effect
  return new KeptInput(openDevice(path), recording, frame("header", writeHeader({ serial })));
}

/** Opens a device. Sets a serial port to raw mode, because the terminal driver would otherwise change the bytes. */
function openDevice(path: string) {
  // does not wait for a carrier, and does not make the port the controlling terminal of this process
  const descriptor = openSync(path, constants.O_RDONLY | constants.O_NOCTTY | constants.O_NONBLOCK);
  if (!isatty(descriptor)) return createReadStream(path, { fd: descriptor });
  return new ReadStream(descriptor).setRawMode(true);
}
