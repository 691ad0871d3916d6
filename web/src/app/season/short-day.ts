import type { Zone } from "../../view/settings.js";

/** Returns a day without its year, such as `16 May`. */
export const shortDay = (ms: number, zone: Zone): string =>
  new Date(ms).toLocaleDateString("en-GB", {
    day: "numeric",
    month: "short",
    ...(zone === "utc" ? { timeZone: "UTC" } : {}),
  });
