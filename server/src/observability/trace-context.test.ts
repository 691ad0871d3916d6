import { describe, expect, it } from "vitest";
import { readTrace, traceparentOf } from "./trace-context.js";

const ID = "4bf92f3577b34da6a3ce929d0e0e4736";
const PARENT = "00f067aa0ba902b7";

describe("the traceparent header", () => {
  it.each([
    [`00-${ID}-${PARENT}-01`, { id: ID, parent: PARENT, flags: "01" }],
    [`00-${ID}-${PARENT}-00`, { id: ID, parent: PARENT, flags: "00" }],
    // A bit not defined in version 00.
    [`00-${ID}-${PARENT}-83`, { id: ID, parent: PARENT, flags: "01" }],
    // A future version.
    [`cc-${ID}-${PARENT}-01-what-the-future-holds`, { id: ID, parent: PARENT, flags: "01" }],
  ])("%s contains a trace", (header, trace) => {
    expect(readTrace(header)).toEqual(trace);
  });

  it.each([
    undefined,
    "",
    `ff-${ID}-${PARENT}-01`,
    `00-${"0".repeat(32)}-${PARENT}-01`,
    `00-${ID}-0000000000000000-01`,
    `00-${ID.toUpperCase()}-${PARENT}-01`,
    `00-${ID}-${PARENT}-01.what`,
    `00-${ID}-${PARENT}-01-what`,
    `00-${ID}-${PARENT}`,
    `00-${ID}-${PARENT}-01, 00-${ID}-${PARENT}-01`,
  ])("%s is ignored", (header) => {
    expect(readTrace(header)).toBeUndefined();
  });

  it("of an outgoing call contains the same trace and a new parent", () => {
    const trace = { id: ID, parent: PARENT, flags: "01" };
    const [one, other] = [traceparentOf(trace), traceparentOf(trace)];
    expect(readTrace(one)).toEqual({ ...trace, parent: expect.not.stringContaining(PARENT) });
    expect(one).not.toBe(other);
  });
});
