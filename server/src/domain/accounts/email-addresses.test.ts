/** An address has one key, however it is spelled, so other spellings do not escape the limits of emails. */
import { Value } from "@sinclair/typebox/value";
import fc from "fast-check";
import { createTransport } from "nodemailer";
import { describe, expect, it } from "vitest";
import { Email } from "../../wire/types.js";
import { emailKey } from "./email-addresses.js";

const isAccepted = (email: string) => Value.Check(Email(), email);

const transport = createTransport({ jsonTransport: true });

/** The recipient that the mail server gets. */
const recipientOf = async (email: string): Promise<unknown> =>
  (await transport.sendMail({ to: email })).envelope.to;

/** Characters of which IDNA removes or changes each. */
const INVISIBLE = ["\u00ad", "\u200b", "\u2060", "\ufe0f", "\u034f", "\u180b", "\u{e0100}"];

describe("the key of an email address", () => {
  it.each([
    ["upper case", "ANN@Example.ORG"],
    ["a subaddress", "ann+club@example.org"],
    ["two subaddresses", "ann+club+2@example.org"],
    ["dots", "a.n.n@example.org"],
    ["full-width characters", "ａｎｎ@ｅxample.org"],
    ["other full stops", "ann@example\u3002org"],
    ["other full stops", "ann@example\uff61org"],
  ])("is the same with %s", (_, email) => {
    expect([isAccepted(email), emailKey(email)]).toEqual([true, "ann@example.org"]);
  });

  it("is the same for a domain with letters of another alphabet and its form in ASCII", () => {
    const spellings = ["ann@bücher.example", "ann@BÜCHER.example", "ann@xn--bcher-kva.example"];
    expect(new Set(spellings.map(emailKey))).toEqual(new Set(["ann@xn--bcher-kva.example"]));
  });

  it.each([
    ["another local part", "anna@example.org"],
    ["another domain", "ann@example.com"],
    ["a subdomain", "ann@mail.example.org"],
    ["dots in the domain", "ann@exam.ple.org"],
    ["a plus in the domain", "ann@b+example.org"],
    ["sharp s", "ann@straße.example"],
  ])("differs with %s", (_, email) => {
    expect([emailKey("ann@example.org"), emailKey("ann@strasse.example")]).not.toContain(emailKey(email));
  });

  it("is the same for all accepted addresses that are sent to the same recipient", async () => {
    const character = fc.oneof(
      { weight: 4, arbitrary: fc.constantFrom(..."abAB.+'=_-%/ßŁłÉ".split("")) },
      fc.constantFrom(...INVISIBLE, "\u3002", "\uff0e", "\uff61", "\u2800", "\u0301", "\u212a", "ﬁ", "１"),
      fc.string({ unit: "binary", minLength: 1, maxLength: 1 }),
    );
    const part = fc.array(character, { minLength: 1, maxLength: 3 }).map((all) => all.join(""));
    const domain = fc.oneof(
      part,
      fc.constantFrom("xn--bcher-kva", "XN--BCHER-KVA", "xn--zca", "xn--a", "xn--", "1", "0x7f"),
    );
    const local = fc.oneof(fc.constantFrom("a", "A", "é"), part);
    const address = fc
      .tuple(
        local,
        domain,
        fc.constantFrom(".example", ".EXAMPLE", "\u3002example", ".1", "."),
        fc.constantFrom("", "."),
      )
      .map(([before, after, end, last]) => `${before}@${after}${end}${last}`)
      .filter(isAccepted);
    const keys = new Map<unknown, Set<string>>();
    const spellings = new Map<unknown, Set<string>>();
    const property = fc.asyncProperty(address, async (email) => {
      const to = JSON.stringify(await recipientOf(email));
      const known = keys.get(to) ?? new Set();
      keys.set(to, known.add(emailKey(email)));
      spellings.set(to, (spellings.get(to) ?? new Set()).add(email));
      expect([...known]).toEqual([emailKey(email)]);
    });
    await fc.assert(property, { numRuns: 200 });
    expect(Math.max(...[...spellings.values()].map(({ size }) => size))).toBeGreaterThan(1);
  });
});

describe("an email address", () => {
  it.each(INVISIBLE)("is refused with the invisible character %j", (character) => {
    for (const email of [
      `a${character}nn@example.org`,
      `ann@exam${character}ple.org`,
      `ann@example.or${character}g`,
    ])
      expect([email, isAccepted(email)]).toEqual([email, false]);
  });

  it("is refused if emails cannot be sent to its domain", () => {
    for (const domain of [
      "xn--a.example",
      "a/b.example",
      "a%2e.example",
      "a?.example",
      "127.1",
      "1.2.3.4",
      "b.example\u3002",
    ])
      expect([domain, isAccepted(`ann@${domain}`)]).toEqual([domain, false]);
  });
});
