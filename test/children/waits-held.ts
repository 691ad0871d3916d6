import { AsiError } from "../../src/index.js";
import { WAITS } from "../ways-of-reading.js";

/** Awaits all promises of a held reader, does nothing else, and prints the outcomes. */

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
