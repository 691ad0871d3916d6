import { expect, it } from "vitest";
import { bulkLoadBody } from "../src/recordings.js";

const PIECE_BYTES = 3 * 16_384;

it.each([0, 1, 2, 3, 255, 256, 257, PIECE_BYTES - 1, PIECE_BYTES, PIECE_BYTES + 1, 2 * PIECE_BYTES + 2])(
  "a recording of %i bytes is sent in base64",
  async (length) => {
    const bytes = Uint8Array.from({ length }, (_, i) => i * 167);
    const body = await bulkLoadBody(new Blob([bytes]));
    expect(body.type).toBe("application/json");
    expect(await body.text()).toBe(JSON.stringify({ asi_b64: Buffer.from(bytes).toString("base64") }));
  },
);
