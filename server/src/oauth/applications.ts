import { transact } from "../domain/change.js";
import type { Context } from "../domain/context.js";
import { errors } from "../domain/errors.js";
import { hashToken, newToken } from "../domain/tokens.js";
import { applications } from "../store/schema.js";

export interface NewApplication {
  name: string;
  /** Enables the deprecated authorization code flow for these exact addresses. */
  redirectUris: readonly string[];
}

/** Registers an OAuth application. Returns the secret, which is not stored. */
export async function createApplication(ctx: Context, { name, redirectUris }: NewApplication) {
  for (const uri of redirectUris) {
    if (!URL.canParse(uri) || uri.includes("#")) {
      throw errors.field(
        "redirect_uri",
        `${uri} is not an absolute URI without fragment (RFC 6749 section 3.1.2).`,
      );
    }
  }
  const clientId = newToken();
  const clientSecret = newToken();
  await transact(ctx, "app create", async ({ queries, now, audit }) => {
    const [row] = await queries
      .insert(applications)
      .values({
        clientId,
        secretHash: hashToken(clientSecret),
        name,
        grants: ["password", "refresh_token", ...(redirectUris.length > 0 ? ["authorization_code"] : [])],
        redirectUris: [...redirectUris],
        createdAt: now,
      })
      .returning();
    if (row === undefined) throw new Error("The application was not inserted");
    await audit("application", row.id, null, row);
  });
  return { clientId, clientSecret };
}
