import type { Command } from "commander";
import { SCOPE_NAMES } from "../domain/change/scopes.js";
import { list, verb } from "./verb.js";

/** Adds the commands for accounts, their sessions and managers. */
export function accountVerbs(root: Command): void {
  const account = root.command("account").description("accounts of managers and athletes");
  list(account, {
    signature: "account list",
    about: "list accounts",
    example: "--role manager --search ash",
  })
    .option("--role <role>", "manager or athlete")
    .option("--disabled", "only disabled accounts")
    .option("--search <terms>", "text in the username, email address or name");
  verb(account, {
    signature: "account show <username>",
    about: "show an account, and the amount of its data",
    example: "ann",
  });
  verb(account, {
    signature: "account disable <username>",
    about: "refuse the tokens, the sessions and the password of an account, but keep its data",
    example: "ann",
  });
  verb(account, {
    signature: "account enable <username>",
    about: "enable a disabled account and its sessions",
    example: "ann",
  });
  verb(account, {
    signature: "account reset-password <username>",
    about: "send a link for a new password by email",
    example: "ann",
  });
  verb(account, {
    signature: "account link <username>",
    about: "let a user of the OpenID provider sign in to an account",
    example: "ann --subject 248289761001",
  }).requiredOption("--subject <sub>", "claim sub of the user, as the provider shows it");
  verb(account, {
    signature: "account unlink <username>",
    about: "remove the link of an account to the OpenID provider, and the roles that its groups gave",
    example: "ann",
  }).option("--issuer <url>", "issuer of the link, if it is an earlier provider");
  verb(account, {
    signature: "account delete <username>",
    about: "delete an account, everything that belongs to it and all personal data",
    example: "ann --yes",
    question: (username) => `Delete the account ${username} and everything that belongs to it?`,
  });

  const session = root.command("session").description("sessions of users");
  verb(session, {
    signature: "session list <username>",
    about: "list the sessions of a user, without their tokens",
    example: "ann",
  });
  verb(session, {
    signature: "session revoke <username>",
    about: "end all sessions of a user; the user can log in again",
    example: "ann --id 7",
  }).option("--id <n>", "end only the session with this id, which session list prints");

  const manager = root.command("manager").description("managers");
  verb(manager, {
    signature: "manager grant <username>",
    about: "let a manager create managed athletes",
    example: "ann",
  });
}

/** Adds the commands for OAuth applications. */
export function applicationVerbs(root: Command): void {
  const app = root.command("app").description("OAuth applications");
  list(app, {
    signature: "app list",
    about: "list applications, without their secrets",
  });
  verb(app, {
    signature: "app create",
    about: "create an application; its secret is printed once",
    example: '--name "Coach"',
  })
    .requiredOption("--name <name>", "name shown at login")
    .option("--redirect-uri <uri...>", "allow the deprecated authorization code flow to these addresses")
    .option("--device", "allow only the flow for devices without a browser; the application has no secret")
    .option("--user <username>", "allow only client credentials: the application acts for this user")
    .option("--scope <scope...>", `with --user: scopes of the application (${SCOPE_NAMES.join(", ")})`);
  verb(app, {
    signature: "app rotate-secret <client-id>",
    about: "replace the secret of an application, and print the new secret once; existing sessions continue",
    example: "5p1T0rWcZ --yes",
    question: (clientId) =>
      `Replace the secret of the application ${clientId}? The current secret becomes invalid immediately.`,
  });
  verb(app, {
    signature: "app revoke <client-id>",
    about: "revoke an application and all its sessions",
    example: "5p1T0rWcZ --yes",
    question: (clientId) => `Revoke the application ${clientId} and all its sessions?`,
  });
}

/** Adds the commands for personal data. Without `--yes`, `athlete erase` only prints the effect. */
export function personalDataVerbs(root: Command): void {
  const athlete = root.command("athlete").description("personal data of athletes");
  verb(athlete, {
    signature: "athlete export <id>",
    about: "write everything about an athlete to a zip archive, with samples",
    example: "12 -o ann.zip",
  }).requiredOption("-o, --output <file>", "file to create");
  verb(athlete, {
    signature: "athlete erase <id>",
    about: "erase an athlete and every trace of the person; without --yes, only count the rows to remove",
    example: "12 --samples --yes",
    yes: "erase; this cannot be undone",
  }).option("--samples", "also remove the samples of the athlete's time frames");

  const erasures = root.command("erasures").description("the list of erased accounts");
  verb(erasures, {
    signature: "erasures apply",
    about: "repeat the erasure of accounts in a restored backup, as every start does",
    example: "--list /backup/erasures.jsonl",
  }).option("--list <file>", "the list of another machine, or a copy (default: ERASURE_LIST)");
}
