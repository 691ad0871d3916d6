import { AsiError } from "../../src/index.js";
import { WAITS } from "../ways-of-reading.js";

/** Waits for everything that a held reader could make known, does nothing else, and tells what came of it. */

const outcomes: Record<string, string> = {};
const held: unknown[] = [];
const waits = WAITS.filter(({ expected }) => expected === "held");
for (const { name, begin } of waits) {
  const begun = await begin();
  held.push(begun);
  begun.promise.then(
    () => {
      outcomes[name] = "fulfilled";
    },
    (error: unknown) => {
      outcomes[name] = error instanceof AsiError ? error.code : String(error);
    },
  );
}
process.on("exit", () => {
  if (held.length === waits.length) console.log(JSON.stringify(outcomes));
});
