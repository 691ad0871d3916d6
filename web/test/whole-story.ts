import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { unwrap } from "asi-client";
import type { Page } from "playwright-core";
import { expect } from "vitest";
import { recordingOf } from "./activity-scene.js";
import { Keyboard } from "./keyboard.js";
import { openPage } from "./page.js";
import { PASSWORD, type TestService } from "./service.js";

/** A user registers, uploads, marks a time frame, creates a webhook, and signs out. */
export async function tellStory(service: TestService): Promise<void> {
  const received: { event: string }[] = [];
  const receiver = createServer(async (request, response) => {
    received.push(JSON.parse(await text(request)));
    response.writeHead(204).end();
  });
  await new Promise<void>((done) => receiver.listen(0, "127.0.0.1", done));
  try {
    await tell(service, receiver, received);
  } finally {
    receiver.closeAllConnections();
    receiver.close();
  }
}

async function tell(
  service: TestService,
  receiver: Server,
  received: readonly { event: string }[],
): Promise<void> {
  await service.addDevice("STORY-1", "story");
  const page = await openPage({ at: service.address });
  const user = await Keyboard.of(page);
  const heading = (name: string | RegExp) => page.getByRole("heading", { level: 1, name }).waitFor();
  const { port } = receiver.address() as AddressInfo;

  // the user registers
  await user.press("Sign in");
  await heading("Sign in");
  await user.press("Register");
  await heading("Register");
  await user.fill("Username", "stella");
  await user.fill("Email", "stella@example.org");
  await user.fill("Password", PASSWORD);
  await user.fill("First name", "Stella");
  await user.keys("Enter");
  await heading("Sessions");
  await page.getByText("No sessions in this month").waitFor();
  await expectFocusOn(page, "main");
  await user.press("Sign out");
  await page.getByText("You are signed out.").waitFor();
  await expectFocusOn(page, "main");
  await service.command("manager", "grant", "stella");
  await user.press("Sign in", "Shift+Tab");
  await user.fill("Username", "stella");
  await user.fill("Password", PASSWORD);
  await user.keys("Enter");
  await heading("Sessions");

  // the user claims a device
  await user.press("Devices", "Shift+Tab");
  await page.getByText("You have no devices.").waitFor();
  await user.press("Claim a device…");
  await page.getByRole("dialog", { name: "Claim a device" }).waitFor();
  await user.keys("Escape");
  await expectFocusOn(page, "button.primary");
  await user.keys("Enter");
  await user.fill("Serial number", "STORY-1");
  await user.fill("Device name", "story");
  await user.keys("Enter");
  await heading("story");
  await expectFocusOn(page, "main");
  await service.command("ownership", "backdate", "STORY-1", "--start", "2020-01-01T00:00:00Z");

  // the user uploads its recordings
  await user.press("Recordings", "Shift+Tab");
  await heading("Recordings");
  const chooser = page.waitForEvent("filechooser");
  await user.press("Choose files…");
  const buffer = Buffer.from(await recordingOf("STORY-1", 7));
  await (await chooser).setFiles({ name: "match.asi", mimeType: "", buffer });
  await page.getByText(/12,000 samples stored/).waitFor();
  await user.press(/^Open Sat, 17 May 2025/, "Shift+Tab");
  await page.locator(".cards").waitFor();
  await expectFocusOn(page, "main");
  const cursor = page.getByRole("slider", { name: "Cursor over the plots" });
  await user.to(cursor);
  await user.keys("Home", "ArrowRight");
  await expect.poll(() => cursor.getAttribute("aria-valuetext")).toContain("km/h");
  const shown = () => page.locator(".card", { hasText: "Distance" }).locator("dd").innerText();
  await expect.poll(shown).not.toBe("–");
  const all = await shown();
  await user.keys("Shift+PageDown", "Enter");
  await expect.poll(shown).not.toBe(all);
  await user.keys("Escape");
  await expect.poll(shown).toBe(all);

  // the user adds an athlete
  await user.press("Athletes", "Shift+Tab");
  await page.getByText("There are no athletes yet.").waitFor();
  await user.press("Add an athlete…");
  await user.fill("First name", "Ada");
  await user.fill("Last name", "Moss");
  await user.keys("Enter");
  await heading("Ada Moss");

  // the user creates a match with a time frame
  await user.press("Activities", "Shift+Tab");
  await user.press("New activity…");
  await user.fill("Name", "Derby");
  await user.keys("Enter");
  await heading("Derby");
  await user.press("New time frame");
  await heading("New time frame");
  await user.to(page.getByLabel("Athlete"));
  await user.keys("ArrowDown");
  await user.to(cursor);
  await user.keys("Home", "PageDown", "Shift+PageDown", "Enter");
  await page.getByText("Length: 5:00 min.").waitFor();
  await user.to(page.getByRole("slider", { name: "End of the time frame" }));
  await user.keys("PageUp", "ArrowRight");
  await page.getByText("Length: 6:01 min.").waitFor();
  await user.fill("Name", "First half");
  await user.keys("Enter");
  await heading("First half");

  // its figures equal those of the API
  const client = await service.clientOf("stella");
  const { results: frames } = await unwrap(client.GET("/api/v1/timeframes/"));
  const timeframe = frames[0]?.id ?? expect.fail("There is no time frame.");
  const figures = await unwrap(
    client.GET("/api/v1/timeframes/{timeframe}/computed-data/", { params: { path: { timeframe } } }),
  );
  const distance = `${((figures.total_distance ?? 0) / 1000).toFixed(2)} km`;
  const panel = page.getByRole("region", { name: "Computed data" });
  await expect
    .poll(() => panel.locator(".card", { hasText: "Distance" }).locator("dd").first().innerText())
    .toBe(distance);

  // a program receives an event
  await user.press("Derby", "Shift+Tab");
  await heading("Derby");
  await user.to(page.getByRole("main").getByRole("link", { name: "Webhooks" }));
  await user.keys("Enter");
  await heading("Webhooks of Derby");
  await user.press("New webhook…");
  await user.fill("Address", `http://127.0.0.1:${port}/hook`);
  await user.keys("Enter");
  await page.getByRole("dialog", { name: "The secret of the webhook" }).waitFor();
  await user.keys("Escape");
  await heading("Webhook");
  await user.press("Test");
  await expect.poll(() => received.map(({ event }) => event)).toContain("test");
  await page.locator(".records .good").first().waitFor();
  await user.press("Delete…");
  await page.getByRole("dialog", { name: "Delete this webhook?" }).waitFor();
  await user.press("Delete webhook");
  await page.getByText("No webhooks yet").waitFor();
  await expectFocusOn(page, "main");

  await user.press("Sign out", "Shift+Tab");
  await page.getByText("You are signed out.").waitFor();
  expect(await user.pointerEvents()).toBe(0);
}

/** Expects the focus, from which the user continues with Tab. */
async function expectFocusOn(page: Page, selector: string): Promise<void> {
  await page.waitForFunction((wanted) => document.activeElement?.matches(wanted), selector, {
    timeout: 10_000,
  });
}
