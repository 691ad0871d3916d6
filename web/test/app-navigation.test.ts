import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { violations } from "./accessibility.js";
import { expectComplaint, hasNoBrowser, openPage, useBrowser } from "./page.js";
import { showView, signIn } from "./service.js";
import { service } from "./shared-service.js";
import { openSignedIn } from "./signed-in.js";

const links = (page: Page) => page.getByRole("navigation", { name: "Views" }).getByRole("link");

/** Returns the names of the links that are completely visible. */
const seenLinks = (page: Page) =>
  links(page).evaluateAll((all) =>
    all
      .filter((link) => {
        const { left, right } = link.getBoundingClientRect();
        const list = link.closest("ul")?.getBoundingClientRect();
        return list !== undefined && left >= list.left - 1 && right <= list.right + 1;
      })
      .map((link) => link.textContent),
  );

describe.skipIf(hasNoBrowser)("the navigation of a signed-in user", () => {
  useBrowser();

  it("is one line on a phone, and shows the current view and the focus", async () => {
    await service.manager("abel");
    const page = await openSignedIn(service, { username: "abel" }, { viewport: { width: 360, height: 800 } });
    const lines = await links(page).evaluateAll((all) => [
      ...new Set(all.map((link) => link.getBoundingClientRect().top)),
    ]);
    expect(lines.length).toBe(1);
    await showView(page, "#/account", "abel");
    await expect.poll(() => seenLinks(page)).toContain("Account");
    await links(page).first().focus();
    await expect.poll(() => seenLinks(page)).toContain("Viewer");
    for (let i = 1; i < (await links(page).count()); i++) await page.keyboard.press("Tab");
    await expect.poll(() => seenLinks(page)).toContain("Account");
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe("Account");
    expect(await violations(page)).toEqual([]);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360);
  });

  it("shows the current view after the window becomes narrower, and scrolls only itself", async () => {
    await service.manager("eli");
    const page = await openSignedIn(service, { username: "eli" }, { viewport: { width: 1440, height: 400 } });
    await showView(page, "#/account", "eli");
    await page.evaluate(() => scrollTo(0, 100));
    await page.setViewportSize({ width: 360, height: 400 });
    await expect.poll(() => seenLinks(page)).toContain("Account");
    expect(await page.evaluate(() => scrollY)).toBeGreaterThan(0);
  });

  it("does not change the viewer at sign-in", async () => {
    await service.manager("fay");
    const page = await openPage({ at: service.address });
    const size = () =>
      page
        .getByRole("heading", { level: 1, name: "See a session" })
        .evaluate((heading) => getComputedStyle(heading).fontSize);
    const before = await size();
    await page.getByRole("link", { name: "Sign in" }).click();
    await signIn(page, "fay");
    await page.getByRole("link", { name: "Viewer" }).click();
    expect(await size()).toBe(before);
  });

  it("appears only with the first view, which would otherwise replace the address of a clicked link", async () => {
    await service.manager("gus");
    const page = await openPage({ at: service.address, hash: "#/sign-in" });
    const whenSeen = page.evaluate(
      () =>
        new Promise<string>((resolve) => {
          const observer = new MutationObserver(() => {
            if (document.querySelector("nav") !== null) resolve(location.hash);
          });
          observer.observe(document.body, { childList: true, subtree: true });
        }),
    );
    await signIn(page, "gus");
    expect(await whenSeen).toBe("#/sessions");
  });

  it("removes the announcements of a page, and preserves those made during navigation", async () => {
    await service.manager("cas");
    const page = await openSignedIn(service, { username: "cas" });
    await showView(page, "#/account", "cas");
    await page.getByLabel("First name").fill("Casper");
    await page.getByRole("button", { name: "Save the profile" }).click();
    const saved = page.getByText("The profile is saved.");
    await saved.waitFor();
    await links(page).filter({ hasText: "Devices" }).click();
    await page.getByRole("heading", { level: 1, name: "Devices" }).waitFor();
    expect(await saved.count()).toBe(0);
    // this button goes to the viewer
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByText("You are signed out.").waitFor();
    await expect.poll(() => new URL(page.url()).hash).toBe("#/");
    expect(await page.getByText("You are signed out.").count()).toBe(1);
  });

  it("asks before signing out if there are unsaved changes", async () => {
    await service.manager("bob");
    const page = await openSignedIn(service, { username: "bob" });
    await showView(page, "#/account", "bob");
    await page.getByLabel("First name").fill("Robert");
    await page.getByRole("button", { name: "Sign out" }).click();
    const question = page.getByRole("dialog", { name: "Leave without saving?" });
    await question.getByRole("button", { name: "Cancel" }).click();
    expect(await page.getByLabel("First name").inputValue()).toBe("Robert");
    await page.getByRole("button", { name: "Sign out" }).click();
    await question.getByRole("button", { name: "Leave without saving" }).click();
    await page.getByText("You are signed out.").waitFor();
  });

  it("shows that signing out has failed until the next action", async () => {
    await service.manager("cid");
    const page = await openSignedIn(service, { username: "cid" });
    expectComplaint(/status of 500/);
    await page.route("**/session/", (route) =>
      route.fulfill({ status: 500, headers: { "X-Request-Id": "abc" }, json: { detail: "No." } }),
    );
    await page.getByRole("button", { name: "Sign out" }).click();
    const message = page.getByText("You could not be signed out.");
    await message.waitFor();
    await page.getByRole("link", { name: "Athletes", exact: true }).click();
    await message.waitFor({ state: "detached" });
  });

  it("tells a new manager who grants the right to add athletes", async () => {
    await service.manager("dan");
    const client = await service.clientOf("dan");
    const { data } = await client.GET("/api/v1/json-schemas/", {
      params: { query: { search: "activity_soccer" } },
    });
    const { data: account } = await client.GET("/api/v1/account/");
    const body = {
      name: "Match",
      json: { sport: "soccer" },
      json_schema: data?.results[0]?.id ?? 0,
      owner: account?.id ?? 0,
    };
    const { data: activity } = await client.POST("/api/v1/activities/", { body });
    const page = await openSignedIn(service, { username: "dan" });
    await showView(page, `#/activities/${activity?.id}/new`, "New time frame");
    await page.getByText("asi-server manager grant dan").waitFor();
    expect(await violations(page)).toEqual([]);
  });
});
