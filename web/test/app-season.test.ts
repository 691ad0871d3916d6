import { type Resource, unwrap } from "asi-client";
import { beforeAll, describe, expect, it } from "vitest";
import { overflow, violations } from "./accessibility.js";
import { hasNoBrowser, useBrowser } from "./page.js";
import { compute, playSeason, type SquadPeople, squadOf, squadPeople } from "./season-scene.js";
import { showView } from "./service.js";
import { service } from "./shared-service.js";
import { openSignedIn } from "./signed-in.js";

/** Six matches. In the last one, Ann has usual values, Bea is faster than before, and Cleo is missing. */
const SPEEDS = [
  [3, 3.1, 2.9, 3, 3.1, 3],
  [2, 2.1, 2, 1.9, 2, 3],
  [2.5, 2.5, 2.6, 2.5, 2.4, null],
];

describe.skipIf(hasNoBrowser)("the season of a squad", () => {
  useBrowser();
  let people: SquadPeople;
  let squad: number;
  let sessions: number[];

  /** Creates a manager with a squad that has played. */
  async function played(username: string) {
    const manager = await squadPeople(service, username, ["Ann Ash", "Bea Bell", "Cleo Cole"]);
    const id = await squadOf(manager, "First team");
    return { manager, id, rounds: await playSeason(manager, id, SPEEDS) };
  }

  beforeAll(async () => {
    if (hasNoBrowser) return;
    const { manager, id, rounds } = await played("selina");
    [people, squad, sessions] = [manager, id, rounds];
    await compute(people, sessions);
  });

  const season = () =>
    unwrap(people.client.GET("/api/v2/squads/{squad}/season/", { params: { path: { squad } } }));

  it("links to uncomputed sessions, computes them on request, and lists the players farthest from normal first", async () => {
    const { manager, id, rounds } = await played("sina");
    await compute(manager, rounds);
    const page = await openSignedIn(service, manager);
    // Jobs of the service compute the figures of all sessions. Here, those of the last one are missing until they are requested.
    let isComputed = false;
    await page.route(/\/figures\//, (route) => {
      isComputed = true;
      return route.continue();
    });
    await page.route(/\/season\//, async (route) => {
      const response = await route.fetch();
      const season: Resource["Season"] = await response.json();
      const athletes = season.players.map(({ athlete }) => athlete);
      const json = {
        ...season,
        sessions: season.sessions.map((one) =>
          one.id === rounds[5] ? { ...one, not_computed: athletes, computing: false } : one,
        ),
        players: season.players.map((player) => ({
          ...player,
          entries: player.entries.filter(({ session }) => session !== rounds[5]),
        })),
      };
      await route.fulfill({ response, json: isComputed ? season : json });
    });
    await showView(page, `#/squads/${id}/season`, "First team");
    const missing = page.getByRole("region", { name: "Figures that are not computed" });
    const link = missing.getByRole("link", { name: /^Round 6, Sat, 16 May 2026/ });
    expect(await link.getAttribute("href")).toBe(`#/sessions/${rounds[5]}`);
    // the names of the athletes arrive separately
    await expect
      .poll(() => missing.getByRole("listitem").innerText())
      .toMatch(/: Ann Ash, Bea Bell, Cleo Cole$/);
    expect(await violations(page)).toEqual([]);
    expect(await page.locator(".season-panel h2").first().innerText()).toMatch(/not computed$/);
    await missing.getByRole("button", { name: "Compute them" }).click();
    await missing.waitFor({ state: "detached" });
    const names = await page.locator(".season-panel h2").allInnerTexts();
    expect(names).toEqual([
      expect.stringMatching(/^8 Bea Bell\s+180\s+▲ \+50 %$/),
      expect.stringMatching(/^7 Ann Ash\s+180\s+−1 %$/),
      expect.stringMatching(/^9 Cleo Cole\s+–\s+no recording$/),
    ]);
    // the last session is marked, and a missing one is visible
    const bea = page.getByRole("img", { name: /^Bea Bell: 180 m\/min, ▲ \+50 %$/ });
    expect(await bea.locator(".now.out").count()).toBe(1);
    const ann = page.getByRole("img", { name: /^Ann Ash/ });
    expect([await ann.locator(".now").count(), await ann.locator(".out").count()]).toEqual([1, 0]);
    const cleo = page.getByRole("img", { name: /^Cleo Cole/ });
    expect(await cleo.locator(".none title").allTextContents()).toEqual(["Round 6, 16 May: no recording"]);
    await page.getByLabel("Order").selectOption("number");
    expect(await page.locator(".season-panel h2").first().innerText()).toMatch(/^7 Ann Ash/);
    expect(await violations(page)).toEqual([]);
  });

  it("says that sessions are being computed, and shows their figures afterwards", async () => {
    const page = await openSignedIn(service, people);
    let reads = 0;
    await page.route(/\/season\//, async (route) => {
      const response = await route.fetch();
      const season: Resource["Season"] = await response.json();
      const changed = season.sessions.map((one) =>
        one.id === sessions[5]
          ? { ...one, not_computed: [people.athletes[0]?.id ?? 0], computing: true }
          : one,
      );
      await route.fulfill({ response, json: reads++ < 2 ? { ...season, sessions: changed } : season });
    });
    await showView(page, `#/squads/${squad}/season`, "First team");
    const computing = page.getByText("Computing 1 of 6 sessions…");
    await computing.waitFor();
    expect(await page.getByRole("region", { name: "Figures that are not computed" }).count()).toBe(0);
    expect(await violations(page)).toEqual([]);
    await computing.waitFor({ state: "detached" });
    expect(reads).toBe(3);
  });

  it("contains the figures and the normal range of the API in its table, for each figure and each session", async () => {
    const { players } = await season();
    const page = await openSignedIn(service, people);
    await showView(page, `#/squads/${squad}/season`, "First team");
    await page.getByRole("button", { name: "Table" }).click();
    const rowOf = (name: string) => page.getByRole("row", { name }).getByRole("cell").allInnerTexts();
    const figuresOf = async (name: string) => {
      const cells = await rowOf(name);
      return [cells[0], cells[2], cells[4], cells[5]];
    };
    const whole = (value: number | null | undefined) =>
      value == null ? "–" : Math.round(value).toLocaleString("en");
    for (const figure of ["distance_m", "rate_m_per_min"] as const) {
      await page.getByLabel("Figure").selectOption(figure);
      for (const { player, normal, best, entries } of players) {
        const last = entries.find(({ session }) => session === sessions[5])?.figures[figure];
        await expect
          .poll(() => figuresOf(player), { message: `${player} ${figure}` })
          .toEqual([whole(last), whole(normal[figure]?.mean), whole(best[figure]), String(entries.length)]);
      }
    }
    const bea = players.find(({ player }) => player === "Bea Bell");
    expect(bea?.normal.rate_m_per_min?.mean).toBeCloseTo(120, 0);
    // Too few matches precede this earlier session.
    await page.getByLabel("Session").selectOption(String(sessions[1]));
    await expect.poll(async () => (await rowOf("Bea Bell")).slice(0, 3)).toEqual(["126", "new", "–"]);
    expect(await violations(page)).toEqual([]);
  });

  it("names matches whose halves are not known, and compares the last match with halves", async () => {
    const page = await openSignedIn(service, people);
    const note = "The halves are not known.";
    await page.route(/\/season\//, async (route) => {
      const response = await route.fetch();
      const stored: Resource["Season"] = await response.json();
      const isLast = (id: number) => id === sessions[5];
      const json = {
        ...stored,
        sessions: stored.sessions.map((one) => (isLast(one.id) ? { ...one, match_note: note } : one)),
        players: stored.players.map((player) => ({
          ...player,
          entries: player.entries.map((entry) =>
            isLast(entry.session) ? { ...entry, covers: "session" } : entry,
          ),
        })),
      };
      await route.fulfill({ response, json });
    });
    await showView(page, `#/squads/${squad}/season`, "First team");
    await page.getByText(`Round 6: ${note}`).waitFor();
    await page.getByText(/: Round 5, Sat, 9 May 2026/).waitFor();
    await page.getByLabel("Session").selectOption(String(sessions[5]));
    const ann = page.getByRole("img", { name: /^Ann Ash/ });
    await expect.poll(() => ann.locator(".match").count()).toBe(5);
    expect(await violations(page)).toEqual([]);
  });

  it("draws the normal range of the API on one scale for all players", async () => {
    const { players } = await season();
    const page = await openSignedIn(service, people);
    await showView(page, `#/squads/${squad}/season`, "First team");
    const drawn = async (name: string) => {
      const chart = page.getByRole("img", { name: new RegExp(`^${name}`) });
      await chart.waitFor();
      const axis = await chart
        .locator("text[text-anchor=end]")
        .evaluateAll((texts) =>
          texts.slice(0, -1).map((text) => [Number(text.textContent), Number(text.getAttribute("y")) - 3]),
        );
      const [y, height] = await chart
        .locator(".band")
        .evaluate((band) => ["y", "height"].map((key) => Number(band.getAttribute(key))));
      const [[v0 = 0, y0 = 0] = [], [v1 = 0, y1 = 0] = []] = axis;
      const valueAt = (at: number) => v0 + ((at - y0) * (v1 - v0)) / (y1 - y0);
      return { axis, high: valueAt(y ?? 0), low: valueAt((y ?? 0) + (height ?? 0)) };
    };
    const [ann, bea] = [await drawn("Ann Ash"), await drawn("Bea Bell")];
    expect(ann.axis).toEqual(bea.axis);
    for (const [name, seen] of [
      ["Ann Ash", ann],
      ["Bea Bell", bea],
    ] as const) {
      const normal = players.find(({ player }) => player === name)?.normal.rate_m_per_min;
      expect(seen.low).toBeCloseTo(normal?.low ?? 0, 0);
      expect(seen.high).toBeCloseTo(normal?.high ?? 0, 0);
    }
  });

  it("fits on a phone, and is printed on A4 without controls", async () => {
    const page = await openSignedIn(service, people, { viewport: { width: 360, height: 800 } });
    await showView(page, `#/squads/${squad}/season`, "First team");
    await page.locator(".season-panel").first().waitFor();
    expect(await overflow(page)).toBe(0);
    expect(await violations(page)).toEqual([]);
    await page.setViewportSize({ width: 703, height: 1000 });
    await page.emulateMedia({ media: "print" });
    expect(await page.getByRole("button").count()).toBe(0);
    expect(await page.getByRole("combobox").count()).toBe(0);
    expect(await overflow(page)).toBe(0);
  });

  it("reports that a squad has no sessions", async () => {
    const { id } = await unwrap(people.client.POST("/api/v2/squads/", { body: { name: "Juniors" } }));
    const page = await openSignedIn(service, people);
    await showView(page, `#/squads/${id}/season`, "Juniors");
    await page.getByText("No session has begun yet.").waitFor();
  });
});
