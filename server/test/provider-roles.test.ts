/** Tests roles that are granted and withdrawn according to a user's groups at an OpenID provider. */
import { eq } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import type { Config } from "../src/config/config.js";
import { settings } from "../src/config/settings.js";
import { linkAccount, unlinkAccount } from "../src/oauth/provider/identities.js";
import { squadGrants, squads } from "../src/store/schema.js";
import type { TestProvider } from "./openid-provider.js";
import { person, RedirectedBrowser, ROLES, startWithProvider } from "./provider-scene.js";
import type { TestAccount, TestService } from "./service.js";

const PASSWORDLESS: Partial<Config> = { openidRoles: ROLES, openidCreateAccounts: true };

async function newSquad(s: TestService, { id: ownerId }: TestAccount): Promise<number> {
  const [squad] = await s.store.database.queries
    .insert(squads)
    .values({ name: "First team", ownerId, createdAt: new Date() })
    .returning();
  return squad?.id ?? 0;
}

const rolesIn = async (s: TestService, guestId: number) => {
  const rows = await s.store.database.queries
    .select()
    .from(squadGrants)
    .where(eq(squadGrants.guestId, guestId));
  return rows.map(({ squadId, role, byProvider }) => [squadId, role, byProvider]).sort();
};

/** Signs in as a user with these groups. @returns the view that the page then opens */
function withGroups(
  s: TestService,
  provider: TestProvider,
  groups: unknown,
  subject = "sub-1",
): Promise<string> {
  person(provider, subject, { groups });
  return new RedirectedBrowser(s).signIn();
}

describe("the groups of a user", () => {
  it("determine whether a new account is a manager or an athlete; no account is created without a role", async () => {
    const { s, provider } = await startWithProvider(PASSWORDLESS);
    const roleOf = async (groups: unknown, subject: string) => {
      person(provider, subject, { groups });
      const browser = new RedirectedBrowser(s);
      const place = await browser.signIn();
      return (await browser.account())?.role ?? place;
    };
    expect(await roleOf(["Players"], "a")).toBe("ATHLETE");
    expect(await roleOf(["Others", "Staff", "Players"], "b")).toBe("MANAGER");
    expect(await roleOf("Players", "c")).toBe("ATHLETE");
    const none = "#/sign-in?problem=no_role";
    for (const groups of [["Others"], [], undefined, [["Staff"]], { Staff: true }, "*"])
      expect(await roleOf(groups, `d ${JSON.stringify(groups)}`)).toBe(none);
  });

  it("may be in a nested claim, or in a claim with dots in its name", async () => {
    for (const [openidGroupsClaim, claims] of [
      ["realm_access.roles", { realm_access: { roles: ["Staff"] } }],
      ["groups", { groups: ["Staff"] }],
    ] as const) {
      const { s, provider } = await startWithProvider({ ...PASSWORDLESS, openidGroupsClaim });
      person(provider, "sub-1", { groups: undefined, ...claims });
      expect(await new RedirectedBrowser(s).signIn()).toBe("#/signed-in");
    }
    const { s, provider } = await startWithProvider({
      ...PASSWORDLESS,
      openidGroupsClaim: "https://club.example/groups",
    });
    person(provider, "sub-1", { groups: undefined });
    provider.tamper = (claims) => ({ ...claims, "https://club.example/groups": ["Staff"] });
    expect(await new RedirectedBrowser(s).signIn()).toBe("#/signed-in");
  });

  it("include the group of all users", async () => {
    const { s, provider } = await startWithProvider({
      ...PASSWORDLESS,
      openidRoles: [["*", [{ kind: "athlete" }]]],
    });
    expect(await withGroups(s, provider, undefined)).toBe("#/signed-in");
  });

  it("end all sessions and tokens of the user if they no longer give a role", async () => {
    const { s, provider } = await startWithProvider(PASSWORDLESS);
    person(provider, "sub-1");
    const browser = new RedirectedBrowser(s);
    await browser.signIn();
    const { body } = await browser.send("POST", "/api/v2/tokens/", {
      name: "Program",
      scopes: ["samples:read"],
      valid_days: 366,
    });
    const application = await browser.send("POST", "/api/v2/applications/", {
      name: "Machine",
      scopes: ["samples:read"],
    });
    const { client_id, client_secret } = application.body;
    const machine = () => s.token({ client_id, client_secret, grant_type: "client_credentials" });
    expect((await machine()).status).toBe(200);
    expect((await s.get("/api/v1/devices/", body.token)).status).toBe(200);
    expect(await withGroups(s, provider, ["Others"])).toBe("#/sign-in?problem=no_role");
    expect(await browser.account()).toBeUndefined();
    expect((await s.get("/api/v1/devices/", body.token)).status).toBe(403);
    expect((await machine()).body.error).toBe("invalid_client");
    expect(await withGroups(s, provider, ["Staff"])).toBe("#/signed-in");
    // The role of an account does not change.
    expect(await withGroups(s, provider, ["Players"])).toBe("#/sign-in?problem=no_role");
  });

  it("give roles in squads, change them, and withdraw them at the next sign-in", async () => {
    const openidRoles: Config["openidRoles"] = [
      ["Coaches", [{ kind: "squad", role: "coach", squadId: 1 }]],
      [
        "Doctors",
        [
          { kind: "squad", role: "physician", squadId: 1 },
          { kind: "squad", role: "coach", squadId: 2 },
        ],
      ],
      ["Staff", [{ kind: "manager" }, { kind: "squad", role: "analyst", squadId: 404 }]],
    ];
    const { s, provider } = await startWithProvider({ openidRoles });
    const [owner, guest] = [await s.manager(), await s.manager()];
    const own = [await newSquad(s, owner), await newSquad(s, owner)];
    expect(own).toEqual([1, 2]);
    await linkAccount(s.ctx, guest.username, "sub-1");
    const seen = async () =>
      (await s.get("/api/v2/squads/", guest.token)).body.results.map(({ id }: { id: number }) => id);
    expect(await withGroups(s, provider, ["Doctors"])).toBe("#/signed-in");
    expect(await rolesIn(s, guest.id)).toEqual([
      [1, "physician", true],
      [2, "coach", true],
    ]);
    expect(await seen()).toEqual([1, 2]);
    // The first role in the setting applies.
    await withGroups(s, provider, ["Doctors", "Coaches"]);
    expect(await rolesIn(s, guest.id)).toEqual([
      [1, "coach", true],
      [2, "coach", true],
    ]);
    expect(await withGroups(s, provider, ["Staff"])).toBe("#/signed-in");
    expect(await rolesIn(s, guest.id)).toEqual([]);
    expect(await seen()).toEqual([]);
    await withGroups(s, provider, ["Coaches"]);
    expect(await seen()).toEqual([1]);
    expect(await withGroups(s, provider, [])).toBe("#/sign-in?problem=no_role");
    expect(await rolesIn(s, guest.id)).toEqual([]);
  });

  it("change neither roles that the owner of a squad has granted, nor the role of the owner", async () => {
    const openidRoles: Config["openidRoles"] = [
      ["Staff", [{ kind: "squad", role: "physician", squadId: 1 }]],
    ];
    const { s, provider } = await startWithProvider({ openidRoles, quotaInvitations: 1 });
    const [owner, guest] = [await s.manager(), await s.manager()];
    expect(await newSquad(s, owner)).toBe(1);
    await linkAccount(s.ctx, guest.username, "guest");
    await linkAccount(s.ctx, owner.username, "owner");
    expect(await withGroups(s, provider, ["Staff"], "owner")).toBe("#/signed-in");
    expect(await rolesIn(s, owner.id)).toEqual([]);
    await withGroups(s, provider, ["Staff"], "guest");
    expect(await rolesIn(s, guest.id)).toEqual([[1, "physician", true]]);
    // A role from a group does not use up the owner's invitations. An accepted invitation replaces it.
    const invited = await s.post(
      "/api/v2/squads/1/grants/",
      { username: guest.username, role: "coach" },
      owner.token,
    );
    expect(invited.status).toBe(201);
    const accepted = await s.send("POST", `/api/v2/invitations/${invited.body.id}/accept/`, {
      token: guest.token,
    });
    expect(accepted.status).toBe(200);
    for (const groups of [["Staff"], []]) {
      await withGroups(s, provider, groups, "guest");
      expect(await rolesIn(s, guest.id)).toEqual([[1, "coach", false]]);
    }
  });

  it("determine who may create athletes if the setting includes this right", async () => {
    const openidRoles: Config["openidRoles"] = [
      ["Leads", [{ kind: "create-athletes" }]],
      ["Staff", [{ kind: "manager" }]],
    ];
    const { s, provider } = await startWithProvider({ ...PASSWORDLESS, openidRoles });
    const permissions = async (groups: string[]) => {
      person(provider, "sub-1", { groups });
      const browser = new RedirectedBrowser(s);
      await browser.signIn();
      return (await browser.account())?.extra_permissions;
    };
    expect(await permissions(["Leads"])).toEqual(["can_create_managed_athletes"]);
    expect(await permissions(["Staff"])).toEqual([]);
    expect(await permissions(["Leads", "Staff"])).toEqual(["can_create_managed_athletes"]);
  });

  it("have no effect without the setting", async () => {
    const { s, provider } = await startWithProvider();
    const ann = await s.manager();
    await linkAccount(s.ctx, ann.username, "sub-1");
    expect(await withGroups(s, provider, undefined)).toBe("#/signed-in");
  });

  it("give no roles after the account has been unlinked", async () => {
    const openidRoles: Config["openidRoles"] = [["Staff", [{ kind: "squad", role: "coach", squadId: 1 }]]];
    const { s, provider } = await startWithProvider({ openidRoles });
    const [owner, guest] = [await s.manager(), await s.manager()];
    await newSquad(s, owner);
    await linkAccount(s.ctx, guest.username, "sub-1");
    await withGroups(s, provider, ["Staff"]);
    expect(await rolesIn(s, guest.id)).toHaveLength(1);
    await unlinkAccount(s.ctx, guest.username);
    expect(await rolesIn(s, guest.id)).toEqual([]);
  });
});

describe("the setting for the roles", () => {
  const { read } = settings.openidRoles;

  it("is a JSON object with the roles for each group", () => {
    expect(
      read('{"Staff": ["manager", "coach:12"], "*": ["athlete"], "Leads": ["create-athletes"]}'),
    ).toEqual([
      ["Staff", [{ kind: "manager" }, { kind: "squad", role: "coach", squadId: 12 }]],
      ["*", [{ kind: "athlete" }]],
      ["Leads", [{ kind: "create-athletes" }]],
    ]);
    expect(read("")).toEqual([]);
  });

  it.each([
    "Staff",
    "[]",
    "null",
    '{"Staff": "manager"}',
    '{"Staff": ["admin"]}',
    '{"Staff": ["coach"]}',
    '{"Staff": ["owner:1"]}',
    '{"Staff": ["coach:0"]}',
  ])("refuses %s", (text) => {
    expect(() => read(text)).toThrow(/expected/);
  });
});
