/** The table of a session: figures of `asi squad` from stored samples, and only those that the caller may read. */
import { beforeAll, describe, expect, it } from "vitest";
import { service, type TestService } from "./service.js";
import { SquadScene } from "./squad-scene.js";

let s: TestService;

beforeAll(async () => {
  s = await service();
});

describe("the table of a session", () => {
  it("has the figures of the samples of a player in the whole session", async () => {
    const scene = await SquadScene.of(s, ["Ann"]);
    const [ann] = scene.players;
    if (ann === undefined) throw new Error("No player");
    const session = await scene.session();
    await scene.run(ann.device, 0, 5);
    const { status, body } = await scene.figures(session);
    expect([status, body.left_out]).toEqual([200, []]);
    const [row] = body.rows;
    expect(row).toMatchObject({ athlete: ann.athlete, player: "Ann", period: null, share_with_data: 1 });
    expect(row.figures.distance_m).toBeCloseTo(900, 0);
  });
});
