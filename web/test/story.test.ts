import { describe, it } from "vitest";
import { hasNoBrowser, useBrowser } from "./page.js";
import { service } from "./shared-service.js";
import { tellStory } from "./whole-story.js";

describe.skipIf(hasNoBrowser)("the whole story by keyboard alone", () => {
  useBrowser();

  it("leads from registration to sign-out", () => tellStory(service));
});
