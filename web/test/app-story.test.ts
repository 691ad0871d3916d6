import { unwrap } from "asi-client";
import { demoRows, encode } from "asi-convert";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { movingParts, violations } from "./accessibility.js";
import { expectComplaint, hasNoBrowser, openBeside, openPage, useBrowser } from "./page.js";
import { BuiltService, PASSWORD, showView, signIn } from "./service.js";
import { openSignedIn } from "./signed-in.js";

const EVIL = "<img src=x onerror=document.title='caught'>";

/** One pixel. */
const PNG =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

const service = new BuiltService();

describe.skipIf(hasNoBrowser)("the page of a service", () => {
  useBrowser();
  beforeAll(() => service.start());
  afterAll(() => service.stop());

  it("shows the viewer to who has no account, with a way to sign in", async () => {
    const page = await openPage({ at: service.address });
    await page.getByRole("heading", { name: "See a session" }).waitFor();
    await page.getByRole("link", { name: "Sign in" }).click();
    await page.getByRole("heading", { name: "Sign in" }).waitFor();
    expect(await page.title()).toBe("Sign in · asi");
  });

  it("says nothing of accounts in a folder of static files", async () => {
    const page = await openPage({ hash: "#/devices" });
    await page.getByRole("heading", { name: "See a session" }).waitFor();
    await page.waitForLoadState("networkidle");
    expect(await page.getByRole("link", { name: "Sign in" }).count()).toBe(0);
  });

  it("says what is wrong at the field where it is wrong, and keeps what was typed", async () => {
    await service.manager("taken");
    const page = await openPage({ at: service.address, hash: "#/register" });
    expectComplaint(/status of 400/);
    await page.getByLabel("Username").fill("taken");
    await page.getByLabel("E-mail").fill("taken@example.org");
    await page.getByLabel("Password").fill(PASSWORD);
    await page.getByRole("button", { name: "Register" }).click();
    const field = page.getByLabel("Username");
    await expect.poll(() => field.getAttribute("aria-invalid")).toBe("true");
    await expect.poll(() => field.evaluate((element) => element === document.activeElement)).toBe(true);
    const message = await field.getAttribute("aria-describedby");
    expect(await page.locator(`[id="${message}"]`).innerText()).toBe("This value is already taken.");
    expect(await page.getByLabel("E-mail").inputValue()).toBe("taken@example.org");
    // a wrong password is that of no field
    await page.goto(`${service.address}#/sign-in`);
    await page.getByLabel("Username").fill("taken");
    await page.getByLabel("Password").fill("not the password");
    await page.getByRole("button", { name: "Sign in", exact: true }).click();
    await page.getByText("The username or the password is wrong.").waitFor();
  });

  it("has devices: found, named, with sensors, and released after a question", async () => {
    await service.manager("dora");
    for (const n of [1, 2]) await service.addDevice(`DORA-${n}`, `dora-${n}`);
    const NAME = "Left wing";
    const page = await openSignedIn(service, { username: "dora" });
    for (const n of [1, 2]) {
      await page.getByRole("link", { name: "Devices", exact: true }).click();
      await page.getByRole("button", { name: "Take a device…" }).click();
      await page.getByLabel("Serial number").fill(`DORA-${n}`);
      await page.getByLabel("Device name").fill(`dora-${n}`);
      await page.getByRole("button", { name: "Take the device" }).click();
      await page.getByRole("heading", { level: 1, name: `dora-${n}` }).waitFor();
      // a device without a sample wants one first
      await page.locator("a.primary").getByText("Upload recordings").waitFor();
    }
    expectComplaint(/status of 400/);
    await page.getByLabel("Your name for it").fill(EVIL);
    await page.getByRole("button", { name: "Save the name" }).click();
    await expect.poll(() => page.getByLabel("Your name for it").getAttribute("aria-invalid")).toBe("true");
    await page.getByLabel("Your name for it").fill(NAME);
    await page.getByRole("button", { name: "Save the name" }).click();
    await page.getByRole("heading", { level: 1, name: NAME }).waitFor();

    await page.getByLabel("Address").first().fill("no address");
    await page.getByRole("button", { name: "Save the sensors" }).click();
    await expect.poll(() => page.getByLabel("Address").first().getAttribute("aria-invalid")).toBe("true");
    await page.getByLabel("Address").first().fill("a0:9e:1a:00:00:01");
    await page.getByRole("button", { name: "Save the sensors" }).click();
    await page.getByText("none now, A0:9E:1A:00:00:01 once the device has started").waitFor();

    await page.getByRole("link", { name: "All devices" }).click();
    await page.getByRole("row", { name: NAME }).waitFor();
    await page.getByRole("searchbox", { name: "Search devices" }).fill("dora-1");
    await expect.poll(() => page.locator("tbody tr").count()).toBe(1);
    await page.getByRole("link", { name: "dora-1" }).click();
    await page.getByRole("button", { name: "Release the device…" }).click();
    await page.getByRole("dialog", { name: "Release dora-1?" }).waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Release the device…" }).click();
    await page.getByRole("button", { name: "Release the device", exact: true }).click();
    await page.getByText("dora-1 is released.").waitFor();
    await page.getByRole("row", { name: NAME }).waitFor();
    expect(await page.locator("tbody tr").count()).toBe(1);
    await page.getByLabel("Show released devices").check();
    await page.getByRole("row", { name: /dora-1 .* Released/ }).waitFor();
    // what was recorded before can still be seen; the weeks around it are refused
    expectComplaint(/status of 403/);
    await page.getByRole("link", { name: "dora-1" }).click();
    await page.getByText("You no longer own this device").waitFor();
  });

  it("has athletes: those whom a manager manages, shown as text whatever they are called", async () => {
    const { username } = await service.manager("mia");
    await service.command("manager", "grant", username);
    const page = await openSignedIn(service, { username });
    await page.getByRole("link", { name: "Athletes", exact: true }).click();
    await page.getByRole("button", { name: "Add an athlete…" }).click();
    await page.getByLabel("First name").fill(EVIL);
    await page.getByLabel("Weight, kg").fill("71.5");
    await page.getByLabel("Height, cm").fill("181");
    await page.getByRole("button", { name: "Add the athlete", exact: true }).click();
    await page.getByRole("heading", { level: 1, name: EVIL }).waitFor();
    await page.getByLabel("Last name").fill("Moss");
    await page.getByLabel("Date of birth").fill("2001-02-03");
    await page.getByRole("button", { name: "Save the profile" }).click();
    await page.getByRole("heading", { level: 1, name: `${EVIL} Moss` }).waitFor();
    await page.reload();
    await page.getByRole("heading", { level: 1, name: `${EVIL} Moss` }).waitFor();
    expect(await page.getByLabel("Weight, kg").inputValue()).toBe("71.5");
    expect(await page.getByLabel("Height, cm").inputValue()).toBe("181");
    const { data } = await (await service.clientOf(username)).GET("/api/v1/athletes/");
    expect(data?.results.map(({ athlete_profile }) => athlete_profile.height)).toEqual([1.81]);
    await page.getByRole("link", { name: "All athletes" }).click();
    await page.getByRole("row", { name: /Moss 2001-02-03 .*Managed by you/ }).waitFor();
    await page.getByRole("link", { name: "Moss" }).click();
    await page.getByRole("button", { name: "Delete the athlete…" }).click();
    await page.getByText("With the athlete go the profile, the permissions, the time frames").waitFor();
    await page.getByRole("button", { name: "Delete the athlete", exact: true }).click();
    await page.getByText("There are no athletes yet.").waitFor();
    expect([await page.locator("img").count(), await page.title()]).toEqual([0, "Athletes · asi"]);
  });

  it("lets an athlete give a permission and take it back", async () => {
    const manager = await service.manager("hugo");
    await service.athlete("ella", { first_name: EVIL, last_name: "Ella" });
    const ella = await openSignedIn(service, { username: "ella" });
    await ella.getByText("Nobody may see your data.").waitFor();
    await ella.getByLabel("Number of the manager").fill(String(manager.id));
    await ella.getByRole("button", { name: "Give the permission" }).click();
    await ella.getByRole("row", { name: `Number ${manager.id} See` }).waitFor();

    const hugo = await openSignedIn(service, manager, { hash: "#/sign-in" });
    await showView(hugo, "#/athletes", "Athletes");
    await hugo.getByRole("row", { name: /Ella .*Lets you see the data/ }).waitFor();

    await ella.getByRole("button", { name: `Take back “See” from manager ${manager.id}` }).click();
    await ella.getByRole("button", { name: "Take back", exact: true }).click();
    await ella.getByText("Nobody may see your data.").waitFor();
    // the row with the button is gone, the focus is not
    await expect.poll(() => ella.evaluate(() => document.activeElement?.localName)).toBe("main");
    await hugo.reload();
    await hugo.getByText("There are no athletes yet.").waitFor();
    await showView(ella, "#/account", `${EVIL} Ella`);
    expect([await ella.locator("img").count(), await ella.title()]).toEqual([0, "Account · asi"]);
    const picture = { name: "ella.png", mimeType: "image/png", buffer: Buffer.from(PNG, "base64") };
    await ella.getByLabel("JPEG, PNG or WebP").setInputFiles(picture);
    await ella.getByRole("img", { name: `${EVIL} Ella` }).waitFor();
    await ella.getByRole("button", { name: "Remove the picture…" }).click();
    await ella.getByRole("dialog").getByRole("button", { name: "Remove", exact: true }).click();
    await expect.poll(() => ella.locator("img").count()).toBe(0);
  });

  it("changes the profile and the password, and ends other sessions", async () => {
    await service.manager("paul");
    const page = await openSignedIn(service, { username: "paul" });
    const other = await openSignedIn(service, { username: "paul" });
    await showView(page, "#/account", "paul");
    await page.getByLabel("First name").fill("Paul");
    await page.getByRole("button", { name: "Save the profile" }).click();
    await page.getByRole("heading", { level: 1, name: "Paul" }).waitFor();
    await expect.poll(() => page.getByText("(this one)").count()).toBe(1);
    await page.getByRole("button", { name: /End the session of Chrome on Linux/ }).click();
    await page.getByText("The session is ended.").waitFor();
    expectComplaint(/status of 403/);
    await other.getByRole("link", { name: "Athletes", exact: true }).click();
    await other.getByRole("dialog", { name: "Sign in again" }).waitFor();

    await page.getByLabel("New password").fill("another long passphrase");
    await page.getByRole("button", { name: "Change the password" }).click();
    await page.getByText("The password is changed.").waitFor();
    await page.getByRole("link", { name: "Devices", exact: true }).click();
    await page.getByText("You have no devices.").waitFor();
  });

  it("mails a link that sets a new password, and signs in with it", async () => {
    await service.manager("rosa");
    const page = await openPage({ at: service.address, hash: "#/sign-in" });
    await page.getByRole("link", { name: "Forgotten password?" }).click();
    await page.getByLabel("Username").fill("rosa");
    await page.getByRole("button", { name: "Send the mail" }).click();
    await page.getByRole("heading", { level: 1, name: "Look at your mail" }).waitFor();
    const links = () =>
      service.mailsTo("rosa").flatMap((text) => /http\S+#\/new-password\S+/.exec(text) ?? []);
    await expect.poll(links).toHaveLength(1);
    const [link = ""] = links();
    await page.goto(link);
    await page.getByLabel("New password").fill("a quite new passphrase");
    await page.getByRole("button", { name: "Set the password" }).click();
    await page.getByText("The password is set. Sign in with it.").waitFor();
    await page.getByLabel("Username").fill("rosa");
    await page.getByLabel("Password").fill("a quite new passphrase");
    await page.getByRole("button", { name: "Sign in", exact: true }).click();
    await page.getByText("You have no devices.").waitFor();
    // the link has been used
    expectComplaint(/status of 400/);
    await page.goto(link);
    await page.getByLabel("New password").fill("yet another passphrase");
    await page.getByRole("button", { name: "Set the password" }).click();
    await page.getByText("has been used").waitFor();
  });

  it("gives an athlete a copy of all data, and erases them after asking for the password", async () => {
    await service.athlete("zoe", { first_name: "Zoe" });
    const page = await openSignedIn(service, { username: "zoe" });
    await showView(page, "#/account", "Zoe");
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("button", { name: "Save a copy" }).click(),
    ]);
    expect(download.suggestedFilename()).toMatch(/^athlete-\d+.*\.zip$/);
    const chunks: Buffer[] = [];
    for await (const chunk of await download.createReadStream()) chunks.push(chunk);
    const archive = Buffer.concat(chunks);
    expect(archive.subarray(0, 2).toString()).toBe("PK");
    expect(archive.includes("export.json")).toBe(true);
    expectComplaint(/status of 40[03]/);
    await page.getByRole("button", { name: "Erase all data…" }).click();
    const dialog = page.getByRole("dialog", { name: "Erase all data about Zoe?" });
    await dialog.getByText("With the account go the profile, the permissions, the time frames").waitFor();
    await dialog.getByLabel("Your own password, again").fill("not the password");
    await dialog.getByRole("button", { name: "Erase all data" }).click();
    await expect.poll(() => dialog.locator(".bad").count()).toBe(1);
    await dialog.getByLabel("Your own password, again").fill(PASSWORD);
    await dialog.getByRole("button", { name: "Erase all data" }).click();
    await page.getByText("All data about Zoe are erased.").waitFor();
    await page.getByRole("link", { name: "Sign in" }).click();
    await page.getByLabel("Username").fill("zoe");
    await page.getByLabel("Password").fill(PASSWORD);
    await page.getByRole("button", { name: "Sign in", exact: true }).click();
    await page.getByText("The username or the password is wrong.").waitFor();
  });

  it("asks to sign in again when the session has ended, and goes on with what was being done", async () => {
    const { username } = await service.manager("lena");
    await service.addDevice("LENA-1", "lena");
    const page = await openSignedIn(service, { username });
    await page.getByRole("button", { name: "Take a device…" }).click();
    await page.getByLabel("Serial number").fill("LENA-1");
    await page.getByLabel("Device name").fill("lena");
    await service.command("token", "revoke", username);
    expectComplaint(/status of 403/);
    await page.getByRole("button", { name: "Take the device" }).click();
    const dialog = page.getByRole("dialog", { name: "Sign in again" });
    await dialog.getByLabel("Password").fill(PASSWORD);
    await dialog.getByRole("button", { name: "Sign in" }).click();
    await page.getByRole("heading", { level: 1, name: "lena" }).waitFor();
  });

  it("leaves a session that has ended, if the user does not want to sign in again", async () => {
    const { username } = await service.manager("otto");
    const page = await openSignedIn(service, { username });
    await service.command("token", "revoke", username);
    expectComplaint(/status of 403/);
    await page.getByRole("link", { name: "Athletes", exact: true }).click();
    await page.getByRole("dialog", { name: "Sign in again" }).waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("heading", { level: 1, name: "Sign in" }).waitFor();
  });

  it("knows in one tab what happens in another", async () => {
    const { username } = await service.manager("ines");
    const page = await openSignedIn(service, { username });
    const beside = await openBeside(page, `${service.address}#/athletes`);
    await beside.getByText("There are no athletes yet.").waitFor();
    await page.getByRole("button", { name: "Sign out" }).click();
    await beside.getByRole("heading", { level: 1, name: "Sign in" }).waitFor();
    await signIn(beside, username);
    await page.getByRole("navigation", { name: "Views" }).waitFor();
  });

  it("asks in no other tab to sign in again after the user has done so in one", async () => {
    const { username } = await service.manager("uma");
    const page = await openSignedIn(service, { username });
    const beside = await openBeside(page, `${service.address}#/devices`);
    await beside.getByText("You have no devices.").waitFor();
    await service.command("token", "revoke", username);
    expectComplaint(/status of 403/);
    const dialogs = [page, beside].map((tab) => tab.getByRole("dialog", { name: "Sign in again" }));
    for (const tab of [page, beside]) {
      await tab.getByRole("link", { name: "Athletes", exact: true }).click();
    }
    for (const dialog of dialogs) await dialog.waitFor();
    await page.getByLabel("Password").fill(PASSWORD);
    await page.getByRole("button", { name: "Sign in", exact: true }).click();
    for (const tab of [page, beside]) await tab.getByText("There are no athletes yet.").waitFor();
    for (const dialog of dialogs) expect(await dialog.count()).toBe(0);
  });

  it("shows a recording of the service only as long as the account is signed in", async () => {
    const { username } = await service.manager("iris");
    await service.addDevice("IRIS-1", "iris-1");
    const client = await service.clientOf(username);
    const owned = { serial_number: "IRIS-1", device_name: "iris-1" };
    const device = await unwrap(client.POST("/api/v1/devices/take-ownership/", { body: owned }));
    await service.command("ownership", "backdate", "IRIS-1", "--start", "2020-01-01T00:00:00Z");
    const rows = demoRows({ seed: 1, startMs: Date.UTC(2025, 4, 17, 14, 30), durationMs: 10_000 });
    const stream = encode(rows, { serial: "IRIS-1", deviceName: "iris-1", deviceType: "T1" });
    const { job_id } = await client.upload(device.id, await new Response(stream as BodyInit).blob());
    await client.waitForJob(job_id);

    const page = await openSignedIn(service, { username });
    await showView(page, `#/recordings/${device.id}`, "Recordings");
    await page.getByRole("button", { name: /^Open Sat, 17 May 2025/ }).click();
    await page.locator(".cards").waitFor();
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByText("You are signed out.").waitFor();
    await page.getByRole("heading", { name: "See a session" }).waitFor();
    expect(await page.locator(".cards").count()).toBe(0);
  });

  it("is accessible by WCAG 2.2 AA in every view and state, in both themes and at two widths", async () => {
    const manager = await service.manager("vera");
    await service.command("manager", "grant", manager.username);
    await service.addDevice("VERA-1", "vera-1");
    await service.athlete("yan");
    const check = async (page: Page, where: string) => {
      await page.waitForLoadState("networkidle");
      for (const [width, theme] of [
        [1440, "light"],
        // as 1280 pixels at 400 %
        [320, "dark"],
      ] as const) {
        await page.setViewportSize({ width, height: 800 });
        await page.evaluate((name) => {
          document.documentElement.dataset.theme = name;
        }, theme);
        const found = [...(await violations(page)), ...(await movingParts(page))];
        const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
        expect([where, theme, found, overflow]).toEqual([where, theme, [], 0]);
      }
      await page.setViewportSize({ width: 1440, height: 800 });
    };
    const page = await openPage({ at: service.address, hash: "#/register", reducedMotion: "reduce" });
    for (const [hash, heading] of [
      ["#/register", "Register"],
      ["#/forgotten-password", "Forgotten password"],
      ["#/new-password?token=x", "Set a new password"],
      ["#/sign-in", "Sign in"],
    ] as const) {
      await showView(page, hash, heading);
      await check(page, hash);
    }
    await signIn(page, manager.username);
    for (const [hash, heading] of [
      ["#/athletes", "Athletes"],
      ["#/account", "vera"],
      ["#/nowhere", "There is nothing here"],
      ["#/devices", "Devices"],
    ] as const) {
      await showView(page, hash, heading);
      await check(page, hash);
    }
    await page.getByRole("button", { name: "Take a device…" }).click();
    await check(page, "taking a device");
    await page.getByLabel("Serial number").fill("VERA-1");
    await page.getByLabel("Device name").fill("vera-1");
    await page.getByRole("button", { name: "Take the device" }).click();
    await page.getByRole("heading", { level: 1, name: "vera-1" }).waitFor();
    await check(page, "one device");
    await page.getByRole("button", { name: "Release the device…" }).click();
    await check(page, "a question");
    await page.keyboard.press("Escape");
    await showView(page, "#/devices", "Devices");
    await check(page, "devices");
    await showView(page, "#/athletes", "Athletes");
    await page.getByRole("button", { name: "Add an athlete…" }).click();
    await page.getByLabel("First name").fill("Ada");
    await check(page, "adding an athlete");
    await page.getByRole("button", { name: "Add the athlete", exact: true }).click();
    await page.getByRole("heading", { level: 1, name: "Ada" }).waitFor();
    await check(page, "one athlete");
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByText("You are signed out.").waitFor();

    await showView(page, "#/sign-in", "Sign in");
    await signIn(page, "yan");
    await showView(page, "#/permissions", "Permissions");
    await page.getByLabel("Number of the manager").fill(String(manager.id));
    await page.getByRole("button", { name: "Give the permission" }).click();
    await page.getByRole("row", { name: `Number ${manager.id}` }).waitFor();
    await check(page, "permissions");
    await showView(page, "#/account", "yan");
    await check(page, "the account of an athlete");
  });
});
