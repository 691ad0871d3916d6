import { type Attack, repeat } from "./attack.js";

/** Requests that need a password hash or a query before they are refused. */
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
    name: "password changes with an If-Match that fails, 60 at a time",
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
  {
    name: "device sign-ins begun and polled, 60 at a time",
    as: "anyone",
    run: ({ client, signal }, tally) =>
      repeat(signal, 60, tally, async () => {
        const client_id = "asi-command";
        const begun = await client.form("/oauth2/device_authorization/", { client_id });
        if (begun.status !== 200) return begun.status;
        const { device_code } = JSON.parse(begun.body.toString());
        const grant_type = "urn:ietf:params:oauth:grant-type:device_code";
        return (await client.form("/oauth2/token/", { grant_type, client_id, device_code })).status;
      }),
  },
  {
    name: "guesses of device codes, and of an application with its tokens, 60 at a time",
    as: "user",
    async run({ client, attacker, signal }, tally) {
      const { token } = attacker;
      const { body } = await client.send("/api/v2/applications/", {
        token,
        json: { name: "Siege", scopes: ["samples:read"], password: attacker.password },
      });
      const { client_id, client_secret } = JSON.parse(body.toString());
      await repeat(signal, 60, tally, async (round) => {
        const code = round.toString(36).padStart(8, "B").toUpperCase();
        if (round % 2)
          return (await client.send("/api/v2/device-sign-ins/find/", { token, json: { code } })).status;
        const grant_type = "client_credentials";
        return (await client.form("/oauth2/token/", { grant_type, client_id, client_secret })).status;
      });
    },
  },
];
