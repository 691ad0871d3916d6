import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { unwrap } from "asi-client";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { movingParts, overflow, violations } from "../accessibility.js";
import { teamScene } from "../activity-scene.js";
import { LOOKS, optionsOf } from "../looks.js";
import { hasNoBrowser, useBrowser } from "../page.js";
import { showView } from "../service.js";
import { service } from "../shared-service.js";
import { openSignedIn } from "../signed-in.js";

const EVIL = "<img src=x onerror=document.title='caught'>";

describe.skipIf(hasNoBrowser)("activities of a manager", () => {
  useBrowser();
  const receiver = createServer((request, response) => {
    request.resume();
    response.writeHead(204).end();
  });
  let hookUrl = "";
  beforeAll(async () => {
    await new Promise<void>((done) => receiver.listen(0, "127.0.0.1", done));
    hookUrl = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`;
  });
  afterAll(() => {
    receiver.closeAllConnections();
    receiver.close();
  });

  it.each(LOOKS)(
    "are accessible by WCAG 2.2 AA and fit in every view, $width pixels wide, in the $colorScheme theme",
    async (look) => {
      const team = await teamScene(service, `alba-${look.width}`, ["Ada", EVIL]);
      const activity = await team.activity("Final");
      const frames = [
        await team.frame(activity.id, 0, 0, 5, { max_hr: 190 }),
        await team.frame(activity.id, 1, 5, 6),
      ];
      const path = { activity: activity.id };
      const hook = await unwrap(
        team.client.POST("/api/v1/activities/{activity}/webhooks/", {
          params: { path },
          body: {
            webhook_url: hookUrl,
            secret_token: "secret",
            activity_events: true,
            timeframes_events: true,
          },
        }),
      );
      await unwrap(
        team.client.POST("/api/v1/activities/{activity}/webhooks/{webhook}/test/", {
          params: { path: { ...path, webhook: hook.id } },
        }),
      );
      const page = await openSignedIn(service, team, optionsOf(look));
      const check = async (hash: string, heading: string | RegExp, ready: string, action?: string) => {
        await showView(page, hash, heading);
        await page.getByText(ready).first().waitFor();
        if (action !== undefined) {
          await page.getByRole("button", { name: action }).click();
          await page.getByRole("dialog").waitFor();
        }
        await page.waitForLoadState("networkidle");
        const where = `${hash} ${action ?? ""}`;
        const found = [...(await violations(page)), ...(await movingParts(page))];
        expect([where, found, await overflow(page)]).toEqual([where, [], 0]);
        if (action !== undefined) await page.keyboard.press("Escape");
      };
      await check("#/activities", "Activities", "Final");
      await check("#/activities", "Activities", "Final", "New activity…");
      await check(`#/activities/${activity.id}`, /Final/, "Look for newer data");
      await check(`#/activities/${activity.id}`, /Final/, "Look for newer data", "Delete…");
      await check(`#/activities/${activity.id}/new`, "New time frame", "Drag over a plot");
      for (const { id } of frames)
        await check(`#/activities/${activity.id}/${id}`, /Time frame/, "Distance by speed");
      await check("#/webhooks", "Webhooks", "Final");
      await check(`#/webhooks/${activity.id}`, /Webhooks of/, hookUrl, "New webhook…");
      await check(`#/webhooks/${activity.id}/${hook.id}`, "Webhook", "HTTP 204");
    },
  );
});
