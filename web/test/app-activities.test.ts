import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { unwrap } from "asi-client";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type TeamScene, teamScene } from "./activity-scene.js";
import { expectComplaint, hasNoBrowser, useBrowser } from "./page.js";
import { showView } from "./service.js";
import { service } from "./shared-service.js";
import { openSignedIn } from "./signed-in.js";

const EVIL = "<img src=x onerror=document.title='caught'>";

let team: TeamScene;
let receiver: Server;
let hookUrl = "";
let received: { secret: string; body: { event: string; data: object } }[] = [];
let status = 204;

/** Returns the text of a cell in the table of compared figures, without its difference. */
const compared = async (page: Page, athlete: string, figure: string): Promise<string[]> => {
  const table = page.getByRole("region", { name: "Compared figures" });
  const heads = await table.locator("thead th").allInnerTexts();
  const at = heads.findIndex((one) => one.startsWith(figure));
  const row = table.getByRole("row", { name: athlete });
  return (await row.locator("th, td").nth(at).innerText()).split("\n");
};

const computedOf = (timeframe: number) =>
  unwrap(
    team.client.GET("/api/v1/timeframes/{timeframe}/computed-data/", { params: { path: { timeframe } } }),
  );

/** Returns the point of the plots at a share of the data. */
async function pointOf(page: Page, share: number): Promise<{ x: number; y: number }> {
  const box = await page.getByRole("slider", { name: "Cursor over the plots" }).boundingBox();
  if (box === null) throw new Error("There are no plots.");
  // the width excludes the space for labels to the left and the margin to the right
  return { x: box.x + 46 + share * (box.width - 46 - 24), y: box.y + 60 };
}

async function brush(page: Page, from: number, to: number): Promise<void> {
  const [start, end] = [await pointOf(page, from), await pointOf(page, to)];
  await page.mouse.move(start.x, start.y);
  await page.mouse.down();
  await page.mouse.move(end.x, end.y, { steps: 5 });
  await page.mouse.up();
}

describe.skipIf(hasNoBrowser)("activities of a manager", () => {
  useBrowser();
  beforeAll(async () => {
    team = await teamScene(service, "alma", ["Ada", EVIL]);
    receiver = createServer(async (request, response) => {
      const body = JSON.parse(await text(request));
      received.push({ secret: String(request.headers["x-asi-api-token"]), body });
      response.writeHead(status).end(status === 204 ? "" : "not now");
    });
    await new Promise<void>((done) => receiver.listen(0, "127.0.0.1", done));
    hookUrl = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`;
  });
  afterAll(async () => {
    receiver?.closeAllConnections();
    receiver?.close();
  });

  it("are created, found, renamed, and deleted after a confirmation that lists the deleted objects", async () => {
    const owner = await service.manager("alva");
    const page = await openSignedIn(service, owner);
    await showView(page, "#/activities", "Activities");
    await page.getByText("No activities yet").waitFor();
    await page.getByRole("button", { name: "New activity" }).click();
    await page.getByLabel("Name").fill(EVIL);
    await page.getByRole("main").getByLabel("Sport").selectOption({ label: "Running" });
    await page.getByRole("button", { name: "Create activity" }).click();
    await page.getByRole("heading", { level: 1, name: EVIL }).waitFor();
    await page.getByText("No time frames yet").waitFor();

    await page.getByRole("button", { name: "Edit" }).click();
    await page.getByLabel("Name").fill("Sunday run");
    await page.getByRole("main").getByLabel("Sport").selectOption({ label: "Football" });
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByRole("heading", { level: 1, name: "Sunday run" }).waitFor();
    await page.getByRole("main").getByText("Football", { exact: true }).waitFor();

    await page.getByRole("main").getByRole("link", { name: "Activities" }).click();
    await page.getByRole("button", { name: "New activity" }).click();
    await page.getByLabel("Name").fill("Another");
    await page.getByRole("main").getByLabel("Sport").selectOption({ label: "Football" });
    await page.getByRole("button", { name: "Create activity" }).click();
    await page.getByRole("heading", { level: 1, name: "Another" }).waitFor();
    await page.getByRole("main").getByRole("link", { name: "Activities" }).click();
    await page.getByRole("row", { name: "Another Football" }).waitFor();
    await page.getByRole("searchbox", { name: "Search activities" }).fill("sunday");
    await expect.poll(() => page.locator("tbody tr").count()).toBe(1);
    await page.getByRole("link", { name: "Sunday run" }).click();
    await page.getByRole("button", { name: "Delete" }).click();
    const question = page.getByRole("dialog", { name: "Delete “Sunday run”?" });
    await question.getByText("This deletes 0 time frames with the computed data, and 0 webhooks.").waitFor();
    await question.getByRole("button", { name: "Cancel" }).click();
    await page.getByRole("button", { name: "Delete" }).click();
    await page.getByRole("button", { name: "Delete activity" }).click();
    await page.getByRole("heading", { level: 1, name: "Activities" }).waitFor();
    await page.getByRole("row", { name: "Another Football" }).waitFor();
    expect([await page.locator("tbody tr").count(), await page.locator("img").count()]).toEqual([1, 0]);
  });

  it("get a time frame that the user selects and moves with the mouse, and compute its figures when it is saved", async () => {
    const activity = await team.activity("Match");
    const page = await openSignedIn(service, team);
    await showView(page, `#/activities/${activity.id}/new`, "New time frame");
    await page.getByLabel("Athlete").selectOption({ label: "Ada Moss" });
    await page.getByLabel("Device").selectOption(String(team.devices[0]?.id));
    await page.getByRole("slider", { name: "Cursor over the plots" }).waitFor();
    // the page shows the latest day of the device
    expect(await page.getByLabel("Day").inputValue()).toBe("2025-05-17");
    await brush(page, 0.25, 0.5);
    expect(await page.getByLabel("Start", { exact: true }).inputValue()).toMatch(/^2025-05-17T14:0[45]/);
    await page.getByLabel("Name").fill("First half");
    await page.getByRole("button", { name: "Save time frame" }).click();
    await page.getByRole("heading", { level: 1, name: "First half" }).waitFor();
    // the page announces this before it goes to the time frame
    await page.getByText("The time frame is saved.", { exact: true }).waitFor();

    const figures = page.getByRole("region", { name: "Computed data" });
    const card = (name: string) =>
      figures
        .locator(".card", { has: page.getByText(name, { exact: true }) })
        .locator("dd")
        .innerText();
    const stored = async () => {
      const { results } = await unwrap(
        team.client.GET("/api/v1/timeframes/", { params: { query: { activity: activity.id } } }),
      );
      return results[0] ?? expect.fail("There is no time frame.");
    };
    const metres = (await computedOf((await stored()).id)).total_distance ?? 0;
    await expect
      .poll(() => card("Distance"))
      .toBe(metres < 999.5 ? `${Math.round(metres)} m` : `${(metres / 1000).toFixed(2)} km`);

    // moving the mark changes no saved data, and the page says so
    const before = await stored();
    await page.getByRole("slider", { name: "End of the time frame" }).focus();
    for (let i = 0; i < 2; i++) await page.keyboard.press("PageUp");
    await figures.getByText("figures of the saved time").waitFor();
    expect(await stored()).toEqual(before);
    await page.getByRole("button", { name: "Save changes" }).click();
    await page.getByText("Its figures are computed again.").waitFor();
    const after = await stored();
    expect(Date.parse(after.end_time) - Date.parse(before.end_time)).toBe(120_000);
    const longer = (await computedOf(after.id)).total_distance ?? 0;
    expect(longer).toBeGreaterThan(metres);
    await expect.poll(() => card("Distance")).toBe(`${(longer / 1000).toFixed(2)} km`);

    // the user can also type the time
    await page.getByLabel("Start", { exact: true }).fill("2025-05-17T14:00:00");
    await page.getByLabel("End", { exact: true }).fill("2025-05-17T14:10:00");
    await page.getByRole("button", { name: "Save changes" }).click();
    await expect.poll(async () => (await stored()).start_time).toBe("2025-05-17T12:00:00.000Z");
    await expect.poll(() => card("Recorded")).toBe("10:00 min");

    // a new name changes no figure
    await page.getByLabel("Name").fill("Opening");
    await page.getByRole("button", { name: "Save changes" }).click();
    await page.getByRole("heading", { level: 1, name: "Opening" }).waitFor();
    await page.getByText("The time frame is saved.", { exact: true }).waitFor();

    await page.getByRole("button", { name: "Delete" }).click();
    await page.getByRole("button", { name: "Delete time frame" }).click();
    await page.getByText("No time frames yet").waitFor();
  });

  it("get a time frame that the user selects with the keyboard, and name missing values before it is saved", async () => {
    const activity = await team.activity("Training");
    const page = await openSignedIn(service, team);
    await showView(page, `#/activities/${activity.id}/new`, "New time frame");
    await page.getByLabel("Athlete").selectOption({ label: `${EVIL} Moss` });
    await page.getByLabel("Device").selectOption(String(team.devices[1]?.id));
    const cursor = page.getByRole("slider", { name: "Cursor over the plots" });
    await cursor.focus();
    await page.keyboard.press("Home");
    await page.keyboard.press("PageDown");
    await page.keyboard.press("Shift+PageDown");
    await page.keyboard.press("Enter");
    // the mark starts a quarter of the twenty minutes after their start, and lasts a quarter of them
    await page.getByText("Length: 5:00 min.").waitFor();
    const start = page.getByRole("slider", { name: "Start of the time frame" });
    await start.focus();
    await page.keyboard.press("ArrowLeft");
    await page.keyboard.press("Shift+ArrowLeft");
    expect(await start.getAttribute("aria-valuetext")).toBe("Sat, 17 May 2025, 14:04:49");
    await page.getByText("Length: 5:11 min.").waitFor();
    await page.keyboard.press("Home");
    await page.getByText("Length: 10:00 min.").waitFor();

    // an end before the start marks no time
    await page.getByLabel("End", { exact: true }).fill("2025-05-17T13:00:00");
    await page.getByText("End must be later than Start.").waitFor();
    await page.getByLabel("Name").fill("Run");
    await page.getByRole("button", { name: "Save time frame" }).click();
    await page.getByText("End must be later than Start.").waitFor();
    expectComplaint(/status of 400/);
    await page.getByLabel("End", { exact: true }).fill("2025-05-27T14:05:00");
    await page.getByRole("button", { name: "Save time frame" }).click();
    await page.getByText("End must be at most 7 days after Start.").waitFor();
    await page.getByLabel("End", { exact: true }).fill("2025-05-17T14:05:00");
    await page.getByRole("button", { name: "Save time frame" }).click();
    await page.getByRole("heading", { level: 1, name: "Run" }).waitFor();
    await page.getByText("5:00 min", { exact: true }).first().waitFor();
  });

  it("compare their athletes with the figures of the API and their differences, and export both as CSV", async () => {
    const activity = await team.activity('Derby "away"');
    const [ada, bea] = await Promise.all([
      team.frame(activity.id, 0, 0, 10, { name: "First half" }),
      team.frame(activity.id, 1, 0, 10, { name: "First half" }),
    ]);
    const page = await openSignedIn(service, team);
    await showView(page, `#/activities/${activity.id}`, /Derby/);
    await page.getByRole("button", { name: "Look for newer data" }).waitFor();
    const [first, second] = await Promise.all([computedOf(ada.id), computedOf(bea.id)]);
    const metres = [first, second].map(({ total_distance }) => total_distance ?? 0) as [number, number];
    const whole = (value: number) => Math.round(value).toLocaleString("en-GB");
    await page.getByLabel("Differences from").selectOption({ label: "Ada Moss" });
    expect(await compared(page, "Ada Moss", "Distance")).toEqual([whole(metres[0])]);
    expect(await compared(page, EVIL, "Distance")).toEqual([
      whole(metres[1]),
      `+${whole(metres[1] - metres[0])}`,
    ]);
    expect((await compared(page, EVIL, "Max speed"))[0]).toBe(((second.max_speed ?? 0) * 3.6).toFixed(1));
    // the chart contains the same figures as text
    await page.getByLabel("Chart").selectOption({ label: "Sprints" });
    const chart = page.getByRole("figure", { name: "Sprints" });
    expect(await chart.locator("dd").allInnerTexts()).toEqual(
      [first, second].map(({ sprint }) => String(sprint.threshold_1.values.length)),
    );

    const downloading = page.waitForEvent("download");
    await page.getByRole("button", { name: "Export as CSV" }).click();
    const download = await downloading;
    expect(download.suggestedFilename()).toBe("Derby-away-figures.csv");
    const chunks: Buffer[] = [];
    for await (const chunk of await download.createReadStream()) chunks.push(chunk as Buffer);
    const [head = "", ...lines] = Buffer.concat(chunks).toString().trimEnd().split("\r\n");
    // commas within quotes are part of a field
    const fields = (line: string) => line.split(/,(?=(?:[^"]*"[^"]*")*[^"]*$)/);
    const at = fields(head).findIndex((name) => /^"?Distance/.test(name));
    expect(lines.map((line) => Number(fields(line)[at]))).toEqual(metres);

    // "Back" restores the scroll position
    await page.setViewportSize({ width: 1440, height: 300 });
    await page
      .getByRole("link", { name: "First half of Ada Moss" })
      .evaluate((link) => link.scrollIntoView());
    const place = await page.evaluate(() => scrollY);
    expect(place).toBeGreaterThan(50);
    const keptPlace = () => page.evaluate(() => (history.state as { place?: number } | null)?.place);
    await expect.poll(keptPlace).toBe(place);
    await page.getByRole("link", { name: "First half of Ada Moss" }).press("Enter");
    await page.getByRole("heading", { level: 1, name: /First half/ }).waitFor();
    await page.goBack();
    await page.getByRole("link", { name: "First half of Ada Moss" }).waitFor();
    // approximately, because the content above is loading
    const distance = () => page.evaluate((wanted) => Math.abs(scrollY - wanted), place);
    await expect.poll(distance).toBeLessThan(40);
    await page.setViewportSize({ width: 1440, height: 900 });

    // a new name changes no figure
    await page.getByRole("button", { name: "Edit…" }).click();
    await page.getByLabel("Name").fill("Derby");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("The activity is saved.", { exact: true }).waitFor();
    expect(await page.getByText("being computed").count()).toBe(0);
    await page.getByRole("button", { name: "Look for newer data" }).waitFor();
    expect([await page.locator("main img").count(), await page.title()]).toEqual([0, "Activities · asi"]);
    await page.getByRole("main").getByRole("link", { name: "Activities" }).click();
    await page.getByRole("row", { name: "Derby Football Sat, 17 May 2025 2" }).waitFor();
  });

  it("have charts in which a full bar means the whole time, the whole distance, or all time with heart rates", async () => {
    const activity = await team.activity("Shares");
    // the last minute has only 12 s
    const { id } = await team.frame(activity.id, 0, 0, 10.2, { max_hr: 190 });
    const page = await openSignedIn(service, team);
    await showView(page, `#/activities/${activity.id}/${id}`, "Time frame");
    const shares = async (name: string) => {
      const chart = page.getByRole("figure", { name });
      await chart.waitFor();
      return chart.locator(".bar-track i").evaluateAll((bars) =>
        bars.map((bar) => {
          const track = bar.parentElement?.getBoundingClientRect().width ?? 0;
          return bar.getBoundingClientRect().width / track;
        }),
      );
    };
    const { time_per_speed_ranges, distance_per_speed_ranges, timePerHrZone } = await computedOf(id);
    const close = (share: number) => expect.closeTo(share, 2);
    const ratios = (ranges: readonly { ratio: number }[]) => ranges.map(({ ratio }) => close(ratio));
    expect(await shares("Time by speed")).toEqual(ratios(time_per_speed_ranges));
    expect(await shares("Distance by speed")).toEqual(ratios(distance_per_speed_ranges));
    expect(await shares("Heart rate zones")).toEqual(
      timePerHrZone.map(({ percentage_hrmax }) => close(percentage_hrmax / 100)),
    );
    await page.getByText("The last column is only 12 s.").waitFor();
    const widths = await page
      .locator(".slices i")
      .evaluateAll((columns) => columns.map((column) => column.getBoundingClientRect().width));
    expect((widths.at(-1) ?? 0) / (widths[0] ?? 0)).toBeCloseTo(0.2, 1);
  });

  it("have webhooks that show the secret once, receive a test and an event, and repeat failed deliveries", async () => {
    const activity = await team.activity(EVIL);
    received = [];
    status = 204;
    const page = await openSignedIn(service, team);
    await showView(page, "#/webhooks", "Webhooks");
    await page.getByRole("link", { name: EVIL }).last().click();
    await page.getByText("No webhooks yet").waitFor();
    await page.getByRole("button", { name: "New webhook…" }).click();
    await page.getByLabel("Address").fill(hookUrl);
    const secret = await page.getByLabel("Secret").inputValue();
    expect(await page.getByRole("dialog", { name: "New webhook" }).innerText()).not.toContain("only");
    await page.getByRole("button", { name: "Create webhook" }).click();
    const once = page.getByRole("dialog", { name: "The secret of the webhook" });
    expect(await once.locator("code").innerText()).toBe(secret);
    await once.getByText("It is shown only this once.").waitFor();
    await once.getByRole("button", { name: "Done" }).click();
    await page.getByRole("heading", { level: 1, name: "Webhook" }).waitFor();
    await page.getByText("No deliveries yet").waitFor();
    expect(await page.content()).not.toContain(secret);

    await page.getByRole("button", { name: "Test", exact: true }).click();
    await page.getByText("The test has succeeded. The receiver answered HTTP 204.").waitFor();
    expect(received).toMatchObject([{ secret, body: { event: "test", data: { activity_id: activity.id } } }]);

    status = 503;
    await page.getByRole("button", { name: "Test", exact: true }).click();
    await page.getByText("it answered HTTP 503").waitFor();
    const log = page.getByRole("region", { name: "Deliveries" });
    await log.getByRole("row", { name: /Test Not delivered 1 HTTP 503/ }).waitFor();
    status = 204;
    await log
      .getByRole("row", { name: /Not delivered/ })
      .getByRole("button")
      .click();
    await expect.poll(() => received.map(({ body }) => body.event)).toEqual(["test", "test", "test"]);
    await expect.poll(() => log.getByRole("row", { name: /Not delivered/ }).count()).toBe(0);

    // the log shows an event of a time frame with its name, even if the name arrives later
    // only this name is requested, and only once
    const asked: string[] = [];
    page.on("request", (request) => {
      const { pathname, search } = new URL(request.url());
      if (pathname.startsWith("/api/v1/timeframes/")) asked.push(pathname + search);
    });
    const frame = await team.frame(activity.id, 0, 0, 5, { name: "First half" });
    await page.getByRole("button", { name: "Refresh" }).click();
    await log.getByRole("row", { name: `Time frame created First half, Ada Moss, ${frame.id}` }).waitFor();
    expect(asked).toEqual([`/api/v1/timeframes/${frame.id}/?with_athlete=true`]);
    // An event of the activity. Since a missing receiver disables the webhook, the previous event must have arrived.
    await expect.poll(() => received.at(-1)?.body.event).toBe("timeframe-created");
    status = 410;
    const path = { activity: activity.id };
    await unwrap(
      team.client.PATCH("/api/v1/activities/{activity}/", { params: { path }, body: { name: "Cup" } }),
    );
    await expect.poll(() => received.at(-1)?.body.event).toBe("activity-updated");
    await expect
      .poll(async () => {
        await log.getByRole("button", { name: "Refresh" }).click();
        return log.getByRole("row", { name: /Activity changed Not delivered/ }).count();
      })
      .toBe(1);
    await page.reload();
    await page.getByText(/^Disabled since/).waitFor();
    await page.getByRole("button", { name: "Enable" }).click();
    await page.getByText("Enabled", { exact: true }).waitFor();

    await page.getByRole("button", { name: "Edit…" }).click();
    await page.getByLabel("changes to the activity").uncheck();
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("Changes to time frames").waitFor();
    await page.getByRole("button", { name: "Delete…" }).click();
    await page.getByRole("button", { name: "Delete webhook" }).click();
    await page.getByText("No webhooks yet").waitFor();
    expect(await page.locator("main img").count()).toBe(0);
  });
});
