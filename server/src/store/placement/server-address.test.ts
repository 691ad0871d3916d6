import { describe, expect, it } from "vitest";
import { newTable, withoutPasswords } from "../sample-servers/move-schema.js";
import { serverAddress, urlOf } from "./server-address.js";

describe("the URL of a sample server", () => {
  it.each(["secret", "with 'quotes' and \"more\"", "back\\slash", "a%2Fb?c#d@e:f/g", "ü"])(
    "keeps the password %s, which is not in any displayed statement",
    (password) => {
      const url = `postgres://ann:${encodeURIComponent(password)}@db1:5433/samples`;
      const address = serverAddress(url);
      expect(address.user).toEqual({ user: "ann", password });
      expect(serverAddress(urlOf(address.options, address.user))).toMatchObject({
        label: "db1:5433/samples",
        user: { user: "ann", password },
      });
      const mapping = newTable([address], "token").find((statement) => statement.includes("USER MAPPING"));
      expect(withoutPasswords(mapping ?? "")).toContain(`"user" 'ann', "password" '***')`);
    },
  );

  it.each([
    "postgres://ann:100%@db1/samples",
    "postgres://ann%zz:secret@db1/samples",
    "postgres://a:b@db1/%",
  ])("%s is refused with a message that explains what to write and does not show the password", (url) => {
    expect(() => serverAddress(url)).toThrow(/Write %25 for %/);
    expect(() => serverAddress(url)).not.toThrow(/secret|100%/);
  });
});
