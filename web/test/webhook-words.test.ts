import { describe, expect, it } from "vitest";
import { responseOf, testWords } from "../src/app/webhooks/words.js";

const unanswered = (response: string | null) => ({
  state: "failed" as const,
  response_status: null,
  response,
});

describe("the reason for a failed webhook", () => {
  it.each([
    ["connect ECONNREFUSED 127.0.0.1:9000", "no program listens at this address"],
    ["ECONNREFUSED", "no program listens at this address"],
    ["connect ETIMEDOUT 203.0.113.7:443", "does not respond in time"],
    [
      "Connect Timeout Error (attempted address: hook.example.org:443, timeout: 5000ms)",
      "does not respond in time",
    ],
    ["getaddrinfo ENOTFOUND hook.example.org", "no host with this name"],
    ["queryA ENODATA hook.example.org", "no host with this name"],
    ["queryA ESERVFAIL hook.example.org", "cannot be looked up now"],
    ["self-signed certificate", "does not trust the certificate"],
    ["unable to verify the first certificate", "does not trust the certificate"],
    [
      "Hostname/IP does not match certificate's altnames: Host: a. is not in the cert's altnames",
      "does not trust",
    ],
    ["read ECONNRESET", "closes the connection without a response"],
  ])("is explained next to the error: %s", (error, words) => {
    const text = responseOf(unanswered(error));
    expect(text).toContain(words);
    expect(text).toContain(`(${error})`);
    expect(testWords(unanswered(error))).toBe(`The test has failed. ${text}`);
  });

  it("is the message of the service if that is a sentence", () => {
    const words = "The host has no public address.";
    expect(responseOf(unanswered(words))).toBe(words);
    expect(responseOf(unanswered(null))).toBe("–");
  });

  it("does not come from the response of a receiver", () => {
    const answered = { response_status: 502, response: "upstream: ECONNREFUSED" };
    expect(responseOf(answered)).toBe("HTTP 502: upstream: ECONNREFUSED");
  });
});
