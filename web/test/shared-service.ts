import { inject } from "vitest";
import { TestService } from "./service.js";

/** One service for all tests, with the embedded database. Each test registers people of its own, by names that no other has. */
export const service = new TestService(inject("service") ?? { address: "", dataDir: "" });

/** Where clients reach that service: its `BASE_URL`, which a proxy serves under a path. Without a slash at its end. */
export const publicAddress = inject("service")?.publicAddress ?? "";
