// Selects the ASI-INF headers that the host must check. A header that repeats an accepted one does not stop a step, so many
// headers do not slow down the reading.

import { checksum } from "./checksum";
import { FRAME_OVERHEAD } from "./memory";

/** Class and id of an ASI-INF, in memory order. */
export const ASI_INF: u32 = 0x00a5;

const HEADER_PAYLOAD: i32 = 64;
const FORMAT_VERSION: u8 = 1;
const SERIAL_OFFSET: usize = 4;
const SERIAL_LENGTH: usize = 16;

/** Address of the serial number from the host, which overrides the headers, padded with NUL. */
export const GIVEN_SERIAL: usize = memory.data(16, 16);
// Serial number of the last signalled header.
const LAST_SERIAL: usize = memory.data(16, 16);

/** Whether the host has given a serial number. */
export let hasGivenSerial: bool = false;
let hasHeader: bool = false;

export function resetHeaders(serialIsGiven: bool): void {
  hasGivenSerial = serialIsGiven;
  hasHeader = false;
}

/**
 * Returns whether a header has no new content: its length and version are correct, and its serial number equals that of the last
 * signalled header, unless the host has given one. If it has new content, later headers are compared with it.
 */
export function repeatsHeader(payload: usize, length: i32): bool {
  if (length != HEADER_PAYLOAD || load<u8>(payload) != FORMAT_VERSION) return false;
  if (hasHeader && (hasGivenSerial || isLastSerial(payload + SERIAL_OFFSET))) return true;
  memory.copy(LAST_SERIAL, payload + SERIAL_OFFSET, SERIAL_LENGTH);
  hasHeader = true;
  return false;
}

// Compares a serial number with the last one. A text ends at its first NUL; the bytes after it are not compared.
function isLastSerial(serial: usize): bool {
  for (let i: usize = 0; i < SERIAL_LENGTH; i++) {
    const character = load<u8>(serial + i);
    if (character != load<u8>(LAST_SERIAL + i)) return false;
    if (character == 0) return true;
  }
  return true;
}

/** Writes the header at `at` with the given serial number, and returns its end. */
export function copyHeader(out: usize, at: usize): usize {
  const size: usize = HEADER_PAYLOAD + FRAME_OVERHEAD;
  memory.copy(out, at, size);
  memory.copy(out + 6 + SERIAL_OFFSET, GIVEN_SERIAL, SERIAL_LENGTH);
  store<u16>(out + size - 2, checksum(out + 2, HEADER_PAYLOAD + 4) as u16);
  return out + size;
}
