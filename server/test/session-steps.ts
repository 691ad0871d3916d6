/** Generates random steps for the histories of a session. */
import fc from "fast-check";
import { DEVICES, PLAYERS, type Step } from "./session-history.js";
import { BLOCKS } from "./session-model.js";

const athlete = fc.nat(PLAYERS - 1);
const device = fc.nat(DEVICES - 1);
const manager = fc.nat(1);
const mostlyOwner = fc.oneof({ weight: 4, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: manager });
const which = fc.nat(30);
const spanWithin = (blocks: number) =>
  fc
    .tuple(fc.nat(blocks), fc.nat(blocks))
    .map(([a, b]) => ({ from: Math.min(a, b), to: Math.max(a, b) + 1 }));
const span = spanWithin(BLOCKS - 1);
// With a permission that is active after the session, the owner can add members and assignments.
const validity = fc.oneof(
  { weight: 2, arbitrary: fc.constant({ from: 0, to: BLOCKS + 6 }) },
  { weight: 2, arbitrary: spanWithin(BLOCKS + 2) },
);
const period = fc.record({
  name: fc.constantFrom("1st half", "2nd half"),
  span,
  athlete: fc.option(athlete, { nil: null }),
});
const weighted = (weight: number, arbitrary: fc.Arbitrary<Step>) => ({ weight, arbitrary });
/** Generates a random step of a history. */
export const step: fc.Arbitrary<Step> = fc.oneof(
  weighted(8, fc.record({ do: fc.constant("upload"), by: mostlyOwner, device, span })),
  weighted(3, fc.record({ do: fc.constantFrom("release", "take"), by: mostlyOwner, device })),
  weighted(3, fc.record({ do: fc.constant("wait") })),
  weighted(6, fc.record({ do: fc.constant("run jobs") })),
  weighted(1, fc.record({ do: fc.constantFrom("retention", "delete session") })),
  weighted(
    6,
    fc.record({ do: fc.constant("consent"), athlete, to: manager, read: validity, write: validity }),
  ),
  weighted(2, fc.record({ do: fc.constant("withdraw"), athlete, to: manager })),
  weighted(5, fc.record({ do: fc.constant("periods"), rows: fc.array(period, { maxLength: 3 }) })),
  weighted(3, fc.record({ do: fc.constantFrom("leave", "thresholds", "thresholds"), athlete })),
  weighted(2, fc.record({ do: fc.constant("erase"), athlete })),
  weighted(5, fc.record({ do: fc.constant("assign"), athlete, device, span })),
  weighted(2, fc.record({ do: fc.constant("unassign"), which })),
  weighted(4, fc.record({ do: fc.constant("move"), which, athlete, span })),
  weighted(1, fc.record({ do: fc.constantFrom("move away", "delete frame"), which })),
  weighted(2, fc.record({ do: fc.constant("delete samples"), device, span })),
  weighted(2, fc.record({ do: fc.constant("session time"), span })),
);
