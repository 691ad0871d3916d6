import { expect, it } from "vitest";
import { contentKey, isSameRecording } from "../../src/squad/copies.js";
import { rowsAt } from "./recordings.js";

const times = Array.from({ length: 100 }, (_, i) => 1_700_000_000_000 + i * 100);

it("copies are recordings of one tracker with the same rows; a recording with another row or tracker is not a copy", () => {
  const one = { serial: "TRK-1", samples: rowsAt(times) };
  const others = [
    { serial: "TRK-2", samples: rowsAt(times) },
    { serial: "TRK-1", samples: rowsAt(times.slice(1)) },
    { serial: "TRK-1", samples: rowsAt(times, 3001) },
    { serial: "TRK-1", samples: rowsAt(times.with(50, 1_700_000_005_001)) },
    { serial: "TRK-1", samples: rowsAt(times.map((ms) => ms + 2 ** 32)) },
  ];
  expect(isSameRecording(one, { serial: "trk-1", samples: rowsAt(times) })).toBe(true);
  for (const other of others) {
    expect(isSameRecording(one, other)).toBe(false);
    expect(contentKey(other)).not.toBe(contentKey(one));
  }
});
