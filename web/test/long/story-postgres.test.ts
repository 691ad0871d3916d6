import { describe, it } from "vitest";
import { startPostgres } from "../../../server/test/postgres.js";
import { hasNoBrowser, useBrowser } from "../page.js";
import { BuiltService } from "../service.js";
import { tellStory } from "../whole-story.js";

describe.skipIf(hasNoBrowser)("the whole story by keyboard alone", () => {
  useBrowser();

  it("leads from registering to signing out, on PostgreSQL", async () => {
    const postgres = await startPostgres();
    const service = new BuiltService({
      WEBHOOK_ALLOW_PRIVATE: "true",
      DATABASE_URL: `${postgres.url}postgres`,
    });
    try {
      await service.start();
      await tellStory(service);
    } finally {
      await service.stop();
      await postgres.stop();
    }
  });
});
