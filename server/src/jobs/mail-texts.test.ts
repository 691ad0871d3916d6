import { describe, expect, it } from "vitest";
import {
  addressChangedMail,
  credentialsMail,
  passwordChangedMail,
  resetMail,
  shownUsername,
} from "./mail-texts.js";

describe("a username in an email", () => {
  it.each([
    "Your prize waits: http://evil.example/claim?x=1",
    "evil.example/claim",
    "http：//evil.example",
    "www.evil.example",
    "Claim your prize at evil.example",
    "evil.example has your prize",
    "Your prize: call 0900 123456",
  ])("is not shown if it can be a link or contain one: %s", (username) => {
    const mails = [
      credentialsMail(username, "secret"),
      credentialsMail(username, null),
      resetMail(username, "https://sports.example.org/#/new-password?token=x"),
      passwordChangedMail(username),
      addressChangedMail(username),
    ];
    for (const { subject, text } of mails) {
      expect(text).toContain("Username: your account\n");
      expect(subject + text).not.toMatch(/evil|prize/);
    }
  });

  it.each(["ann", "ann@example.org", "ann.lee", "Dr. Zoë Müller", "Анна", "x".repeat(64)])(
    "is shown if it is a name or an email address: %s",
    (username) => expect(shownUsername(username)).toBe(username),
  );

  it("is shortened if it is longer than a name", () => {
    expect(shownUsername("win ".repeat(60))).toBe(`${"win ".repeat(16)}…`);
  });
});
