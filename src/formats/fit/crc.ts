// The polynomial x^16 + x^15 + x^2 + 1 with reversed bits. The initial value is 0 (CRC-16/ARC; FIT Protocol document, "CRC").
const POLYNOMIAL = 0xa001;

// Slicing by four: table k contains the checksum of a byte followed by k zero bytes.
const TABLES = tables();
const [LAST, ONE_BEHIND, TWO_BEHIND, THREE_BEHIND] = TABLES;

type Tables = readonly [Uint16Array, Uint16Array, Uint16Array, Uint16Array];

function tables(): Tables {
  const first = Uint16Array.from({ length: 256 }, (_, byte) => {
    let crc = byte;
    for (let bit = 0; bit < 8; bit++) crc = (crc & 1) === 0 ? crc >> 1 : (crc >> 1) ^ POLYNOMIAL;
    return crc;
  });
  const behind = (table: Uint16Array) => table.map((crc) => (crc >> 8) ^ (first[crc & 0xff] as number));
  const second = behind(first);
  const third = behind(second);
  return [first, second, third, behind(third)];
}

/**
 * Computes the checksum of bytes, continued from preceding bytes.
 *
 * @param crc checksum of the preceding bytes; 0 for none
 */
export function crc16(crc: number, bytes: Uint8Array, from = 0, to = bytes.length): number {
  let sum = crc;
  let at = from;
  for (; at + 4 <= to; at += 4) {
    sum =
      (THREE_BEHIND[(sum ^ (bytes[at] as number)) & 0xff] as number) ^
      (TWO_BEHIND[(sum >> 8) ^ (bytes[at + 1] as number)] as number) ^
      (ONE_BEHIND[bytes[at + 2] as number] as number) ^
      (LAST[bytes[at + 3] as number] as number);
  }
  for (; at < to; at++) sum = (sum >> 8) ^ (LAST[(sum ^ (bytes[at] as number)) & 0xff] as number);
  return sum;
}
