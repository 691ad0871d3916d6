import { expect, it } from "vitest";
import { signatureHeaders } from "./signature.js";

it("the signature follows Standard Webhooks", () => {
  const headers = signatureHeaders({
    messageId: "msg_1",
    at: new Date("2024-01-01T00:00:00.999Z"),
    body: '{"a":"ü"}',
    keys: [Buffer.from("secret-é", "utf8")],
  });
  // Expected signature computed with Python's hmac.
  expect(headers).toEqual({
    "webhook-id": "msg_1",
    "webhook-timestamp": "1704067200",
    "webhook-signature": "v1,+01TUalnpXzg/XEh3l9t5i4lkm4VDDe/TBJsUxLNYbY=",
  });
});
