/** Tests of the documentation at `/api/docs/` in a browser. The service runs under a path, as behind a proxy. */
import type { Page } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import { violations } from "./accessibility.js";
import { expectComplaint, hasNoBrowser, openBeside, openPage, sharedPage, useBrowser } from "./page.js";
import { signIn } from "./service.js";
import { publicAddress, service } from "./shared-service.js";

useBrowser();

describe.skipIf(hasNoBrowser)("the documentation of the service", () => {
  beforeAll(async () => {
    await service.manager("docs");
  });

  const openDocs = async (options: Parameters<typeof openPage>[0] = {}) => {
    const page = await openPage({ at: `${publicAddress}/api/docs/`, ...options });
    await page.locator(".opblock-tag").first().waitFor();
    return page;
  };
  async function openOperation(page: Page, tag: string, operationId: string) {
    const operation = page.locator(`[id="operations-${tag}-${operationId}"]`);
    if ((await operation.count()) === 0) {
      await page.locator(`[id="operations-tag-${tag}"] button`).click();
    }
    if ((await operation.getByRole("tablist").count()) === 0) {
      await operation.locator(".operation-line button").click();
    }
    await operation.getByRole("tablist", { name: "Language" }).waitFor();
    return operation;
  }
  const widthLeftOver = (page: Page) =>
    page.evaluate(() => document.documentElement.clientWidth - document.documentElement.scrollWidth);

  it("has the colours of the page in both themes, and fits the window", async () => {
    const page = await openDocs();
    const background = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    await openOperation(page, "Devices", "listDevices");
    const create = await openOperation(page, "Activities", "createActivity");
    await create.getByRole("button", { name: "Try it out" }).click();
    await create.getByRole("tab", { name: "Schema" }).last().click();
    expect(await background()).toBe("rgb(244, 246, 250)");
    expect(await violations(page)).toEqual([]);
    await page.getByRole("button", { name: "Use the dark theme" }).click();
    expect(await background()).toBe("rgb(10, 15, 29)");
    expect(await violations(page)).toEqual([]);
    for (const width of [360, 768, 1440]) {
      await page.setViewportSize({ width, height: 900 });
      expect([width, await widthLeftOver(page)]).toEqual([width, 0]);
    }
    // The page at `/` uses the selected theme too.
    const beside = await openBeside(page, `${publicAddress}/`);
    expect(await beside.evaluate(() => document.documentElement.dataset.theme)).toBe("dark");
  });

  const tryIt = async (page: Page, operationId = "listDevices") => {
    const operation = await openOperation(page, "Devices", operationId);
    await operation.getByRole("button", { name: "Try it out" }).click();
    return operation;
  };
  const executed = async (page: Page, operation: Awaited<ReturnType<typeof tryIt>>) => {
    const [response] = await Promise.all([
      page.waitForResponse((answer) => answer.url().includes("/api/v1/devices/")),
      operation.getByRole("button", { name: "Execute" }).click(),
    ]);
    await operation.getByText("Server response").waitFor();
    return { response, headers: await response.request().allHeaders() };
  };

  it("tries operations with the session of the page, without a token", async () => {
    const page = await openPage({ at: `${publicAddress}/`, hash: "#/sign-in", expected: [/403/] });
    await signIn(page, "docs");
    await page.goto(`${publicAddress}/#/account`);
    await page.getByRole("main").getByRole("link", { name: "API documentation" }).click();
    await page.getByText("Try it out sends requests as docs").waitFor();
    const operation = await tryIt(page);
    expect(await operation.getByRole("note").count()).toBe(0);
    const { response, headers } = await executed(page, operation);
    expect([response.status(), headers["x-asi-page"], headers.authorization]).toEqual([200, "1", undefined]);
    expect(await operation.locator(".live-responses-table").innerText()).toContain('"count": 0');
    expect(await violations(page)).toEqual([]);
    // If the session has ended elsewhere, the next attempt shows this.
    await page.context().clearCookies();
    await operation.getByRole("button", { name: "Execute" }).click();
    expect(await operation.getByRole("note").innerText()).toContain("You are not signed in");
    await page.getByRole("link", { name: "Back to the page" }).click();
    await page.waitForURL(`${publicAddress}/`);
  });

  describe("without an account", () => {
    const dark = sharedPage(() => openDocs({ hash: "#/Devices/retrieveDevice", colorScheme: "dark" }));

    it("loads in less than 500 kB with the OpenAPI document, and follows the theme of the browser", async () => {
      const page = await dark();
      const bytes = await page.evaluate(() =>
        [...performance.getEntriesByType("navigation"), ...performance.getEntriesByType("resource")]
          .map((entry) => (entry as PerformanceResourceTiming).transferSize)
          .reduce((sum, size) => sum + size, 0),
      );
      // If there were fewer bytes, some were not counted.
      expect(bytes).toBeGreaterThan(350_000);
      expect(bytes).toBeLessThan(500_000);
      const theme = () => page.evaluate(() => document.documentElement.dataset.theme);
      expect(await theme()).toBe("dark");
      await page.emulateMedia({ colorScheme: "light" });
      await expect.poll(theme).toBe("light");
      await page.emulateMedia({ colorScheme: "dark" });
      await expect.poll(theme).toBe("dark");
    });

    it("has a search, examples in three languages with the address behind the proxy, and keyboard operation", async () => {
      const page = await dark();
      // Opened by its address, as in the header `Link` of a deprecated operation.
      const operation = page.locator('[id="operations-Devices-retrieveDevice"]');
      const panel = operation.getByRole("tabpanel", { name: "curl" });
      expect(await panel.innerText()).toContain(`curl '${publicAddress}/api/v1/devices/7/'`);
      await operation.getByRole("tab", { name: "curl" }).focus();
      await page.keyboard.press("ArrowRight");
      const typescript = operation.getByRole("tabpanel", { name: "TypeScript" });
      expect(await typescript.innerText()).toContain(`baseUrl: "${publicAddress}"`);
      await page.keyboard.press("End");
      expect(await operation.getByRole("tabpanel", { name: "Python" }).innerText()).toContain(
        "import requests",
      );
      // Other operations use the selected language too.
      const list = await openOperation(page, "Devices", "listDevices");
      expect(await list.getByRole("tab", { name: "Python" }).getAttribute("aria-selected")).toBe("true");
      // A stream that does not end has no "Try it out".
      const stream = await openOperation(page, "Raw_data", "streamRawData");
      expect(await stream.getByRole("button", { name: "Try it out" }).count()).toBe(0);
      await page.getByLabel("Find an operation").fill("activities webhook delete");
      await expect.poll(() => page.locator(".opblock").count()).toBe(1);
      expect(await page.locator(".opblock").innerText()).toContain("webhooks/{webhook}/");
      await page.getByLabel("Find an operation").fill("");
      await expect.poll(() => page.locator(".opblock").count()).toBeGreaterThan(1);
    });

    it("explains how to sign in, accepts a token, and notices a sign-in in a different tab", async () => {
      const page = await dark();
      const token = await service.tokenOf("docs");
      expectComplaint(/403/);
      const operation = await tryIt(page);
      const hint = operation.getByRole("note");
      expect(await hint.innerText()).toContain("You are not signed in");
      expect(await hint.getByRole("link", { name: "Sign in on the page" }).getAttribute("href")).toBe(
        `${publicAddress}/#/sign-in`,
      );
      expect((await executed(page, operation)).response.status()).toBe(403);

      await hint.getByRole("link", { name: "enter an access token" }).click();
      await page.keyboard.type("no token");
      await page.keyboard.press("Enter");
      expect(await page.getByRole("alert").innerText()).toContain("This is not an access token.");
      await page.getByLabel("Access token").fill(token);
      await page.keyboard.press("Enter");
      await hint.waitFor({ state: "detached" });
      const { response, headers } = await executed(page, operation);
      expect([response.status(), headers.authorization]).toEqual([200, `Bearer ${token}`]);
      // The token disappears with the page. A script cannot find it later.
      const stored = () => JSON.stringify([localStorage, sessionStorage, document.cookie]);
      expect(await page.evaluate(stored)).not.toContain(token);
      await page.getByRole("button", { name: "Forget token" }).click();
      await hint.waitFor();

      // Another tab reports that somebody has signed in.
      await page.getByText("You are not signed in.").first().waitFor();
      const beside = await openBeside(page, `${publicAddress}/#/sign-in`);
      await signIn(beside, "docs");
      await page.getByText("Try it out sends requests as docs").waitFor();
      await beside.close();
    });
  });
});
