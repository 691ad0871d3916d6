import { unwrap } from "asi-client";
import { describe, expect, it } from "vitest";
import { hasNoBrowser, useBrowser } from "./page.js";
import { showView } from "./service.js";
import { service } from "./shared-service.js";
import { openSignedIn } from "./signed-in.js";

const ACTIVITIES = 56;

describe.skipIf(hasNoBrowser)("a list", () => {
  useBrowser();

  it("preserves its search, rows and position after Back, and is printed completely", async () => {
    const { id: owner, username } = await service.manager("lists");
    const client = await service.clientOf(username);
    const schemas = await unwrap(client.GET("/api/v1/json-schemas/", { params: { query: { limit: 100 } } }));
    const json_schema = schemas.results.find(({ name }) => name === "activity_soccer")?.id ?? 0;
    const create = (name: string) =>
      unwrap(
        client.POST("/api/v1/activities/", { body: { name, json: { sport: "soccer" }, json_schema, owner } }),
      );
    await create("Another");
    const created = [];
    for (let n = 0; n < ACTIVITIES; n += 1) created.push(await create(`Round ${String(n).padStart(2, "0")}`));
    await unwrap(
      client.POST("/api/v1/activities/{activity}/webhooks/", {
        params: { path: { activity: created.at(-1)?.id ?? 0 } },
        body: {
          webhook_url: "https://93.184.215.14/hook",
          secret_token: "secret",
          activity_events: true,
          timeframes_events: false,
        },
      }),
    );
    const webhooks = { activity: created.at(-1)?.id ?? 0 };
    const { results: hooks } = await unwrap(
      client.GET("/api/v1/activities/{activity}/webhooks/", { params: { path: webhooks } }),
    );
    const page = await openSignedIn(service, { username });
    const rows = page.locator("tbody tr");
    await showView(page, "#/webhooks", "Webhooks");
    await page.getByRole("searchbox").fill("round");
    // the search takes effect a moment after the last key, and removes the other activity
    await page.getByText(`The first 50 of ${ACTIVITIES}`, { exact: true }).waitFor();
    await page.getByRole("button", { name: "Show more" }).click();
    await expect.poll(() => rows.count()).toBe(ACTIVITIES);
    expect(await rows.last().innerText()).toMatch(/Round 55\s+1/);
    expect(await rows.nth(-2).innerText()).toMatch(/Round 54\s+none/);
    await page.getByRole("link", { name: "Round 55" }).scrollIntoViewIfNeeded();
    const keptPlace = () => page.evaluate(() => (history.state as { place?: number } | null)?.place ?? 0);
    await expect.poll(keptPlace).toBeGreaterThan(100);
    await page.getByRole("link", { name: "Round 55" }).click();
    await page.getByRole("heading", { level: 1 }).filter({ hasText: "Round 55" }).waitFor();
    await page.goBack();
    await expect.poll(() => rows.count()).toBe(ACTIVITIES);
    expect(await page.getByRole("searchbox").inputValue()).toBe("round");
    await expect.poll(() => page.evaluate(() => scrollY)).toBeGreaterThan(100);
    // the deliveries of a webhook are a list too
    await showView(page, `#/webhooks/${webhooks.activity}/${hooks[0]?.id}`, "Webhook");
    await page.getByLabel("Show").selectOption("failed");
    await page.getByText("No such delivery").waitFor();
    await page.getByRole("link", { name: "Devices", exact: true }).click();
    await page.getByText("You have no devices.").waitFor();
    await page.goBack();
    await page.getByText("No such delivery").waitFor();
    expect(await page.getByLabel("Show").inputValue()).toBe("failed");
    // reopening the view shows a new list
    await page.getByRole("link", { name: "Activities", exact: true }).click();
    await page.getByRole("heading", { level: 1, name: "Activities" }).waitFor();
    expect(await page.getByRole("searchbox").inputValue()).toBe("");
    await page.locator(".scrolled-x tbody tr").first().waitFor();
    await page.setViewportSize({ width: 703, height: 1000 });
    await page.emulateMedia({ media: "print" });
    // the list is a table without buttons, even on A4
    await page.getByRole("columnheader", { name: "Time frames" }).waitFor();
    expect(
      await page
        .locator("tbody tr")
        .first()
        .evaluate((row) => getComputedStyle(row).display),
    ).toBe("table-row");
    expect(await page.getByRole("button").count()).toBe(0);
    const cut = await page.evaluate(() =>
      [...document.querySelectorAll(".scrolled, .scrolled-x")].filter(
        (element) => getComputedStyle(element).overflowX !== "visible",
      ),
    );
    expect(cut).toEqual([]);
  });
});
