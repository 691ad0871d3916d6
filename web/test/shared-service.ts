import { inject } from "vitest";
import { TestService } from "./service.js";

/** The one service for all tests, with the embedded database. Each test registers its own users with unique names. */
export const service = new TestService(inject("service") ?? { address: "", dataDir: "" });

/** The public address of that service, which is its `BASE_URL`. A proxy serves it under a path. Without a trailing slash. */
export const publicAddress = inject("service")?.publicAddress ?? "";
