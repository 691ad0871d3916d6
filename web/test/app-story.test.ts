import type { Locator } from "playwright-core";
import { describe, expect, it } from "vitest";
import { expectComplaint, hasNoBrowser, openPage, useBrowser } from "./page.js";
import { PASSWORD, showView } from "./service.js";
import { publicAddress, service } from "./shared-service.js";
import { openSignedIn } from "./signed-in.js";

const EVIL = "<img src=x onerror=document.title='caught'>";

/** A picture of one pixel. */
const PNG =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

describe.skipIf(hasNoBrowser)("the page of a service", () => {
  useBrowser();

  it("shows the viewer and a link for signing in without an account", async () => {
    const page = await openPage({ at: service.address });
    await page.getByRole("heading", { name: "See a session" }).waitFor();
    await page.getByRole("link", { name: "Sign in" }).click();
    await page.getByRole("heading", { name: "Sign in" }).waitFor();
    expect(await page.title()).toBe("Sign in · asi");
  });

  it("does not mention accounts in a folder of static files", async () => {
    const page = await openPage({ hash: "#/devices" });
    await page.getByRole("heading", { name: "See a session" }).waitFor();
    await page.waitForLoadState("networkidle");
    expect(await page.getByRole("link", { name: "Sign in" }).count()).toBe(0);
  });

  it("shows an error at its field, and preserves the input", async () => {
    await service.manager("taken");
    const page = await openPage({ at: service.address, hash: "#/register" });
    expectComplaint(/status of 400/);
    await page.getByLabel("Username").fill("taken");
    await page.getByLabel("Email").fill("taken@example.org");
    await page.getByLabel("Password").fill(PASSWORD);
    await page.getByRole("button", { name: "Register" }).click();
    const field = page.getByLabel("Username");
    await expect.poll(() => field.getAttribute("aria-invalid")).toBe("true");
    await expect.poll(() => field.evaluate((element) => element === document.activeElement)).toBe(true);
    const message = await field.getAttribute("aria-describedby");
    expect(await page.locator(`[id="${message}"]`).innerText()).toBe(
      "Username is already taken. Choose another.",
    );
    expect(await page.getByLabel("Email").inputValue()).toBe("taken@example.org");
    // a person who wears a device is also an athlete, and athletes need a name
    await page.getByLabel("I also wear a device myself").check();
    await page.getByLabel("Username").fill("not-taken");
    await page.getByRole("button", { name: "Register" }).click();
    await page.getByText("Enter a first or a last name.").waitFor();
    expect(await page.getByLabel("First name").getAttribute("aria-invalid")).toBe("true");
    // the message about a wrong password belongs to no field
    await page.goto(`${service.address}#/sign-in`);
    // the registration form stays visible for a moment, and has fields with the same names
    await page.getByRole("heading", { level: 1, name: "Sign in" }).waitFor();
    await page.getByLabel("Username").fill("taken");
    await page.getByLabel("Password").fill("not the password");
    await page.getByRole("button", { name: "Sign in", exact: true }).click();
    await page.getByText("The username or the password is wrong.").waitFor();
  });

  it("focuses the first field immediately, and not after the user has moved to the next one", async () => {
    const page = await openPage({ at: service.address, hash: "#/register" });
    await page.getByRole("heading", { level: 1, name: "Register" }).waitFor();
    const focused = await page.evaluate(
      () =>
        new Promise((resolve) => {
          new MutationObserver(() => {
            if (document.querySelector("[autocomplete=current-password]") === null) return;
            resolve(document.activeElement?.getAttribute("name"));
          }).observe(document.body, { childList: true, subtree: true });
          location.hash = "#/sign-in";
        }),
    );
    expect(focused).toBe("username");
  });

  it("has devices that can be found, named, given sensors, and released after a confirmation", async () => {
    await service.manager("dora");
    for (const n of [1, 2]) await service.addDevice(`DORA-${n}`, `dora-${n}`);
    const NAME = "Left wing";
    const page = await openSignedIn(service, { username: "dora" });
    for (const n of [1, 2]) {
      await page.getByRole("link", { name: "Devices", exact: true }).click();
      await page.getByRole("button", { name: "Claim a device…" }).click();
      await page.getByLabel("Serial number").fill(`DORA-${n}`);
      await page.getByLabel("Device name").fill(`dora-${n}`);
      await page.getByRole("button", { name: "Claim the device" }).click();
      await page.getByRole("heading", { level: 1, name: `dora-${n}` }).waitFor();
      // a device without samples offers the upload first
      await page.locator("a.primary").getByText("Upload recordings").waitFor();
    }
    expectComplaint(/status of 400/);
    await page.getByLabel("Your name for it").fill(EVIL);
    await page.getByRole("button", { name: "Save the name" }).click();
    await expect.poll(() => page.getByLabel("Your name for it").getAttribute("aria-invalid")).toBe("true");
    await page.getByLabel("Your name for it").fill(NAME);
    await page.getByRole("button", { name: "Save the name" }).click();
    await page.getByRole("heading", { level: 1, name: NAME }).waitFor();

    // the name would be lost if it were the only entry
    await page.getByLabel("Name", { exact: true }).first().fill("Chest belt");
    await page.getByRole("button", { name: "Save the sensors" }).click();
    await page.getByText("Enter the address of this sensor, or clear its name").waitFor();
    await page.getByLabel("Name", { exact: true }).first().fill("");
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
    // the layout moves when the time of the latest sample arrives, and a click on a moving button can be lost
    await page.locator("a.primary").getByText("Upload recordings").waitFor();
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
    // Earlier recordings remain visible. The service refuses the weeks around them.
    expectComplaint(/status of 403/);
    await page.getByRole("link", { name: "dora-1" }).click();
    await page.getByText("You no longer own this device").waitFor();
  });

  it("has the athletes of a manager, and always shows their names as text", async () => {
    const { username } = await service.manager("mia");
    await service.command("manager", "grant", username);
    const page = await openSignedIn(service, { username });
    await page.getByRole("link", { name: "Athletes", exact: true }).click();
    await page.getByRole("button", { name: "Add an athlete…" }).click();
    await page.getByRole("button", { name: "Add the athlete", exact: true }).click();
    const message = page.getByText("Enter a first or a last name.");
    await message.waitFor();
    await page.getByLabel("First name").fill(EVIL);
    await message.waitFor({ state: "detached" });
    await page.getByLabel("Weight, kg").fill("71.5");
    const heightOfWeight = async () => (await page.getByLabel("Weight, kg").boundingBox())?.height;
    const asItWas = await heightOfWeight();
    await page.getByLabel("Height, cm").fill("1.81");
    await page.getByRole("button", { name: "Add the athlete", exact: true }).click();
    await page.getByText("Height is in centimetres. Enter 181 for 1.81 m.").waitFor();
    // the message does not stretch the fields next to it
    expect(await heightOfWeight()).toBe(asItWas);
    await page.getByLabel("Height, cm").fill("81");
    await page.getByRole("button", { name: "Add the athlete", exact: true }).click();
    const question = page.getByRole("dialog", { name: "Is this right?" });
    await question.getByText("The height is 81 cm").waitFor();
    await question.getByRole("button", { name: "Cancel" }).click();
    await expect.poll(() => page.getByLabel("Height, cm").getAttribute("aria-invalid")).toBe("true");
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
    await page.getByText("This deletes the profile, the permissions, the time frames").waitFor();
    await page.getByRole("button", { name: "Delete the athlete", exact: true }).click();
    await page.getByText("There are no athletes yet.").waitFor();
    expect([await page.locator("img").count(), await page.title()]).toEqual([0, "Athletes · asi"]);
  });

  it("lets an athlete grant and withdraw a permission", async () => {
    const manager = await service.manager("hugo");
    await service.athlete("ella", { first_name: EVIL, last_name: "Ella" });
    const ella = await openSignedIn(service, { username: "ella" });
    await ella.getByText("Nobody may see your data.").waitFor();
    // a wrong number or username shows no manager, and no permission is granted
    expectComplaint(/status of 400/);
    await ella.getByLabel("Number of the manager").fill(String(manager.id + 1));
    await ella.getByLabel("Username of the manager").fill("hugo");
    await ella.getByRole("button", { name: "Continue" }).click();
    await ella.getByText("There is no manager with this number and username.").waitFor();
    await ella.getByLabel("Number of the manager").fill(String(manager.id));
    await ella.getByRole("button", { name: "Continue" }).click();
    const who = `hugo, number ${manager.id}`;
    const question = ella.getByRole("dialog", { name: `Give the permission to ${who}?` });
    await question.getByRole("button", { name: "Cancel" }).click();
    await ella.getByText("Nobody may see your data.").waitFor();
    await ella.getByRole("button", { name: "Continue" }).click();
    await question.getByRole("button", { name: "Give the permission" }).click();
    await ella.getByRole("row", { name: `${who} See` }).waitFor();

    const hugo = await openSignedIn(service, manager, { hash: "#/sign-in" });
    await showView(hugo, "#/athletes", "Athletes");
    await hugo.getByRole("row", { name: /Ella .*Lets you see the data/ }).waitFor();

    await ella.getByRole("button", { name: `Take back “See” from ${who}` }).click();
    await ella.getByRole("button", { name: "Take back", exact: true }).click();
    await ella.getByText("Nobody may see your data.").waitFor();
    // the row with the button is gone, but the focus remains in the view
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
    await page.getByText("The profile is saved.").waitFor();
    await page.getByRole("heading", { level: 1, name: "Paul", exact: true }).waitFor();
    await expect.poll(() => page.getByText("(this one)").count()).toBe(1);
    await page.getByRole("button", { name: /End the session of Chrome on Linux/ }).click();
    await page.getByText("The session is ended.").waitFor();
    expectComplaint(/status of 403/);
    await other.getByRole("link", { name: "Athletes", exact: true }).click();
    await other.getByRole("dialog", { name: "Sign in again" }).waitFor();

    await page.getByLabel("Current password").fill("not the password");
    await page.getByLabel("New password").fill("another long passphrase");
    expectComplaint(/status of 400/);
    await page.getByRole("button", { name: "Change the password" }).click();
    await page.getByText("The password is not correct.").waitFor();
    await page.getByLabel("Current password").fill(PASSWORD);
    await page.getByRole("button", { name: "Change the password" }).click();
    await page.getByText("The password is changed.").waitFor();
    await page.getByRole("link", { name: "Devices", exact: true }).click();
    await page.getByText("You have no devices.").waitFor();
    await expect
      .poll(() => service.mailsTo("paul").some((mail) => /password .*changed/i.test(mail)))
      .toBe(true);
    // links for a new password go to this address, so a new address requires the password, like a new username
    await showView(page, "#/account", "Paul");
    const profile = page.locator("section", { hasText: "Save the profile" });
    await profile.getByLabel("Username").fill("paul.new");
    await profile.getByLabel("Current password").waitFor();
    await profile.getByLabel("Username").fill("paul");
    await profile.getByLabel("Current password").waitFor({ state: "detached" });
    await profile.getByLabel("Email").fill("paul.new@example.org");
    await profile.getByLabel("Current password").fill("another long passphrase");
    await profile.getByRole("button", { name: "Save the profile" }).click();
    await page.getByText("The profile is saved.").waitFor();
  });

  it("sends a link for a new password by email, and accepts the new password", async () => {
    await service.manager("rosa");
    const page = await openPage({ at: service.address, hash: "#/sign-in", allowed: [publicAddress] });
    await page.getByRole("link", { name: "Forgotten password?" }).click();
    // the sign-in form stays visible for a moment, and has a field with the same name
    await page.getByRole("heading", { level: 1, name: "Forgotten password" }).waitFor();
    await page.getByLabel("Username").fill("rosa");
    await page.getByRole("button", { name: "Send the email" }).click();
    await page.getByRole("heading", { level: 1, name: "Check your email" }).waitFor();
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
    await page.getByText("No sessions in this month").waitFor();
    // the link was used before
    expectComplaint(/status of 400/);
    await page.goto(link);
    await page.getByLabel("New password").fill("yet another passphrase");
    await page.getByRole("button", { name: "Set the password" }).click();
    await page.getByText("has already been used").waitFor();
  });

  it("gives athletes a copy of their data, and erases the data after asking for the password", async () => {
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
    const warning = await page.evaluate(() => {
      const paragraph = document.body.appendChild(document.createElement("p"));
      paragraph.className = "bad";
      const { color } = getComputedStyle(paragraph);
      paragraph.remove();
      return color;
    });
    const colours = (button: Locator) =>
      button.evaluate((element) => {
        const { color, borderTopColor, backgroundColor } = getComputedStyle(element);
        return [color, borderTopColor, backgroundColor];
      });
    expect(await colours(page.getByRole("button", { name: "Erase all data…" }))).toEqual([
      warning,
      warning,
      expect.anything(),
    ]);
    await page.getByRole("button", { name: "Erase all data…" }).click();
    const dialog = page.getByRole("dialog", { name: "Erase all data about Zoe?" });
    await dialog
      .getByText("This deletes the account with its profile, permissions, time frames and figures")
      .waitFor();
    expect((await colours(dialog.getByRole("button", { name: "Erase all data" })))[2]).toBe(warning);
    await dialog.getByLabel("Your password").fill("not the password");
    await dialog.getByRole("button", { name: "Erase all data" }).click();
    await expect.poll(() => dialog.locator(".bad").count()).toBe(1);
    await dialog.getByLabel("Your password").fill(PASSWORD);
    await dialog.getByRole("button", { name: "Erase all data" }).click();
    await page.getByText("All data about Zoe are erased.").waitFor();
    await page.getByRole("link", { name: "Sign in" }).click();
    await page.getByLabel("Username").fill("zoe");
    await page.getByLabel("Password").fill(PASSWORD);
    await page.getByRole("button", { name: "Sign in", exact: true }).click();
    await page.getByText("The username or the password is wrong.").waitFor();
  });
});
