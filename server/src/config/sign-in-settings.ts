import { isLoopback } from "./loopback.js";
import { boolean, type Setting, secret, setting, text } from "./setting-kinds.js";

const SQUAD_ROLES = ["coach", "analyst", "physician"] as const;
const ACCOUNT_ROLES = ["manager", "athlete", "create-athletes"] as const;

/** A role that a group of the OpenID provider gives to its members. */
export type MappedRole =
  | { kind: (typeof ACCOUNT_ROLES)[number] }
  | { kind: "squad"; role: (typeof SQUAD_ROLES)[number]; squadId: number };

/** The roles of a group. The group `*` contains every user of the provider. */
export type GroupRoles = readonly [group: string, roles: readonly MappedRole[]];

const ROLE_FORM = `expected roles such as "manager", "athlete", "create-athletes", or "coach:12" for a role in the squad with the id 12: ${SQUAD_ROLES.join(", ")}`;

function mappedRole(value: unknown): MappedRole {
  const account = ACCOUNT_ROLES.find((kind) => kind === value);
  if (account !== undefined) return { kind: account };
  const [, name, id] = /^([a-z]+):([1-9]\d{0,14})$/.exec(String(value)) ?? [];
  const role = SQUAD_ROLES.find((one) => one === name);
  if (role === undefined) throw new Error(`${JSON.stringify(value)}: ${ROLE_FORM}`);
  return { kind: "squad", role, squadId: Number(id) };
}

/** JSON object that maps each group to its roles. */
const groupRoles = setting((value): readonly GroupRoles[] => {
  if (value === "") return [];
  let parsed: unknown;
  try {
    parsed = JSON.parse(value);
  } catch {
    parsed = undefined;
  }
  if (typeof parsed !== "object" || parsed === null || Array.isArray(parsed))
    throw new Error('expected a JSON object such as {"Staff": ["manager"], "Players": ["athlete"]}');
  return Object.entries(parsed).map(([group, roles]) => {
    // JSON.parse puts such keys first, but the order of the groups decides.
    if (/^\d+$/.test(group)) throw new Error(`"${group}": a group whose name is a number is not supported`);
    if (!Array.isArray(roles)) throw new Error(`"${group}": expected a list of roles`);
    return [group, roles.map(mappedRole)] as const;
  });
});

/** Address of a provider (OpenID Connect Discovery 1.0). Plain HTTP only on the same machine. */
const issuer = setting((value) => {
  if (value === "") return null;
  const parsed = URL.canParse(value) ? new URL(value) : undefined;
  const isSecure =
    parsed?.protocol === "https:" ||
    (parsed?.protocol === "http:" && isLoopback(parsed.hostname.replace(/^\[|\]$/g, "")));
  if (!isSecure || parsed.search !== "" || parsed.hash !== "" || parsed.username !== "")
    throw new Error(
      "expected a URL beginning with https://, or http:// on a loopback address, without a query",
    );
  return value;
});

/** Domain names, separated by commas. */
const domains = setting((value): readonly string[] => {
  const entries = value
    .split(",")
    .map((entry) => entry.trim().toLowerCase())
    .filter((entry) => entry !== "");
  const wrong = entries.find((entry) => !/^[a-z0-9-]+(\.[a-z0-9-]+)+$/.test(entry));
  if (wrong !== undefined)
    throw new Error(`"${wrong}": expected domains such as club.example, separated by commas`);
  return entries;
});

const scopes = setting((value) => {
  if (
    !/^[\x21\x23-\x5b\x5d-\x7e]+( [\x21\x23-\x5b\x5d-\x7e]+)*$/.test(value) ||
    !value.split(" ").includes("openid")
  )
    throw new Error('expected scopes separated by spaces, including "openid"');
  return value;
});

/** Settings for signing in. */
export const signInSettings = {
  openidIssuer: issuer(
    "OPENID_ISSUER",
    "",
    "Issuer of the OpenID provider with which users can sign in, such as https://id.example.org/realms/club; without it, users sign in with passwords: docs/signing-in.md",
  ),
  openidClientId: text("OPENID_CLIENT_ID", "", "Id of the service as a client of the OpenID provider"),
  openidClientSecret: secret(
    text("OPENID_CLIENT_SECRET", "", "Secret of this client; without it, the service is a public client"),
  ),
  openidName: text(
    "OPENID_NAME",
    "the club account",
    'Name of the provider, which the page shows after "Sign in with"',
  ),
  openidScopes: scopes(
    "OPENID_SCOPES",
    "openid profile email",
    "Scopes that the service requests, separated by spaces",
  ),
  openidDomains: domains(
    "OPENID_DOMAINS",
    "",
    "With Google: domains of the organisations whose users can sign in (claim hd), separated by commas; default: all users of the provider",
  ),
  openidGroupsClaim: text(
    "OPENID_GROUPS_CLAIM",
    "groups",
    "Claim with the groups of a user: its name, or its path with dots, such as realm_access.roles",
  ),
  openidRoles: groupRoles(
    "OPENID_ROLES",
    "",
    'Roles of the groups of the provider, as JSON, such as {"Staff": ["manager", "coach:12"], "Players": ["athlete"]}; the group * contains all users; default: roles do not depend on the provider',
  ),
  openidCreateAccounts: boolean(
    "OPENID_CREATE_ACCOUNTS",
    false,
    "Whether the first sign-in of a user of the provider creates an account, with the role of the user's groups; requires OPENID_ROLES",
  ),
  passwordSignIn: boolean(
    "PASSWORD_SIGN_IN",
    true,
    "Whether users can register, and sign in with passwords; false requires OPENID_ISSUER. Commands of the operator do not depend on it",
  ),
} as const satisfies Record<string, Setting<unknown>>;

type SignInValues = {
  readonly [Name in keyof typeof signInSettings]: ReturnType<(typeof signInSettings)[Name]["read"]>;
};

/** Returns the problems of settings that are valid alone, but not together. */
export function signInProblems(config: SignInValues): string[] {
  const { openidIssuer, openidClientId, openidCreateAccounts, openidRoles, passwordSignIn } = config;
  return [
    ...(openidIssuer !== null && openidClientId === ""
      ? ["OPENID_CLIENT_ID: required with OPENID_ISSUER"]
      : []),
    ...(openidCreateAccounts && openidRoles.length === 0
      ? ["OPENID_ROLES: required with OPENID_CREATE_ACCOUNTS, for the roles of new accounts"]
      : []),
    ...(!passwordSignIn && openidIssuer === null
      ? ["PASSWORD_SIGN_IN: false requires OPENID_ISSUER, because nobody could sign in"]
      : []),
  ];
}
