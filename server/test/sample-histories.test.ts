/**
 * Tests random histories of one device on the service itself, with every operation that adds, moves or removes samples. Compares
 * reads, exports and losses with the two rules in `domain/sample-ownership/owners.ts`, applied sample by sample.
 */
import fc from "fast-check";
import { it } from "vitest";
import { History } from "./sample-history.js";
import { step } from "./sample-steps.js";

/** Number of histories. `npm test` runs some of them, `npm run test:more` more. */
const HISTORIES = process.env.TEST_ALL_HISTORIES === "1" ? 12 : 2;

it("no account reads, exports or deletes samples of another account in random histories of the service", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 12, maxLength: 40 }), async (steps) => {
      const history = await History.begin();
      await history.act({ do: "take", by: 0 });
      for (const [i, one] of steps.entries()) {
        await history.act(one);
        if (i % 8 === 7) await history.check();
      }
      await history.check();
      await history.checkRestored();
      await history.s.store.close();
    }),
    { numRuns: HISTORIES },
  );
}, 600_000);
