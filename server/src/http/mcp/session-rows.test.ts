import { expect, it } from "vitest";
import { type Row, selected } from "./session-rows.js";

it("the names of a table are read a few times, however many players are wanted", () => {
  let reads = 0;
  const rows = Array.from({ length: 33 }, (_, period) =>
    Array.from({ length: 200 }, (_, athlete) => ({
      athlete,
      number: null,
      period: period === 0 ? null : `Part ${period}`,
      get player() {
        reads++;
        return `Ὀδυσσεὺς ${athlete}`;
      },
    })),
  ).flat() as unknown as Row[];
  const players = Array.from({ length: 50 }, (_, athlete) => `ὀδυσσεὺς ${athlete}`);
  const found = selected(rows, { period: "part 7", players });
  expect(found.map(({ athlete }) => athlete)).toEqual(players.map((_, athlete) => athlete));
  expect(reads).toBeLessThan(2 * rows.length);
});
