import { describe, expect, it } from "vitest";
import { overflow, violations } from "../accessibility.js";
import { load, match, openDevice, rangeButtons } from "../device-scene.js";
import { LOOKS, optionsOf } from "../looks.js";
import { hasNoBrowser, useBrowser } from "../page.js";
import { service } from "../shared-service.js";

describe.skipIf(hasNoBrowser)("recordings of a manager", () => {
  useBrowser();

  it.each(LOOKS)(
    "are accessible by WCAG 2.2 AA and fit, $width pixels wide, in the $colorScheme theme",
    async (look) => {
      const manager = await service.manager(`ria-${look.width}`);
      const { page, serial } = await openDevice(service, manager, optionsOf(look));
      await load(page, await match(serial));
      await rangeButtons(page).first().waitFor();
      await page.getByRole("checkbox", { name: /for comparison$/ }).check();
      expect([await violations(page), await overflow(page)]).toEqual([[], 0]);
    },
  );
});
