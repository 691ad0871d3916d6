import { type Attack, repeat } from "./attack.js";

/** Requests that cost a password hash or a query before they are refused. */
export const passwords: readonly Attack[] = [
  {
    name: "logins with wrong passwords, 60 at a time",
    as: "anyone",
    run: ({ client, attacker, signal }, tally) =>
      repeat(signal, 60, tally, async (round) => {
        const { status } = await client.form("/oauth2/token/", {
          grant_type: "password",
          username: `nobody-${round}`,
          password: "wrong",
          ...attacker.oauth,
        });
        return status;
      }),
  },
  {
    name: "registrations, 60 at a time",
    as: "anyone",
    run: ({ client, signal }, tally) =>
      repeat(signal, 60, tally, async (round) => {
        const username = `many-${process.pid}-${round}`;
        const json = { username, email: "many@example.org", password: "a long passphrase" };
        return (await client.send("/api/v1/managers/", { json })).status;
      }),
  },
  {
    name: "new passwords behind an If-Match that fails, 60 at a time",
    as: "user",
    run: ({ client, attacker, signal }, tally) =>
      repeat(signal, 60, tally, async (round) => {
        const { status } = await client.send(`/api/v1/managers/${attacker.id}/`, {
          method: "PATCH",
          token: attacker.token,
          json: { password: `a new passphrase ${round}` },
          headers: { "If-Match": '"never"' },
        });
        return status;
      }),
  },
  {
    name: "made-up tokens, 100 at a time",
    as: "anyone",
    run: ({ client, signal }, tally) =>
      repeat(signal, 100, tally, async (round) => {
        return (await client.send("/api/v1/account/", { token: `made-up-${round}` })).status;
      }),
  },
];
