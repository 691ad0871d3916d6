import { randomBytes } from "node:crypto";
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { movingParts, overflow, violations } from "../accessibility.js";
import { LOOKS, optionsOf } from "../looks.js";
import { hasNoBrowser, openPage, useBrowser } from "../page.js";
import { showView, signIn } from "../service.js";
import { service } from "../shared-service.js";

describe.skipIf(hasNoBrowser)("the page of a service", () => {
  useBrowser();

  it.each(LOOKS)(
    "is accessible by WCAG 2.2 AA and fits in every view and state, $width pixels wide, in the $colorScheme theme",
    async (look) => {
      const id = randomBytes(3).toString("hex");
      const manager = await service.manager(`vera-${id}`);
      await service.command("manager", "grant", manager.username);
      await service.addDevice(`VERA-${id}`, `vera-${id}`);
      const athlete = await service.athlete(`yan-${id}`);
      const check = async (page: Page, where: string) => {
        await page.waitForLoadState("networkidle");
        const found = [...(await violations(page)), ...(await movingParts(page))];
        expect([where, found, await overflow(page)]).toEqual([where, [], 0]);
      };
      const page = await openPage({ at: service.address, hash: "#/register", ...optionsOf(look) });
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
        ["#/account", manager.username],
        ["#/nowhere", "There is nothing here"],
        ["#/devices", "Devices"],
      ] as const) {
        await showView(page, hash, heading);
        await check(page, hash);
      }
      await page.getByRole("button", { name: "Claim a device…" }).click();
      await check(page, "taking a device");
      await page.getByLabel("Serial number").fill(`VERA-${id}`);
      await page.getByLabel("Device name").fill(`vera-${id}`);
      await page.getByRole("button", { name: "Claim the device" }).click();
      await page.getByRole("heading", { level: 1, name: `vera-${id}` }).waitFor();
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
      await signIn(page, athlete.username);
      await showView(page, "#/permissions", "Permissions");
      await page.getByLabel("Number of the manager").fill(String(manager.id));
      await page.getByLabel("Username of the manager").fill(manager.username);
      await page.getByRole("button", { name: "Continue" }).click();
      await check(page, "giving a permission");
      await page.getByRole("button", { name: "Give the permission" }).click();
      await page.getByRole("row", { name: `number ${manager.id}` }).waitFor();
      await check(page, "permissions");
      await showView(page, "#/account", athlete.username);
      await check(page, "the account of an athlete");
    },
  );
});
