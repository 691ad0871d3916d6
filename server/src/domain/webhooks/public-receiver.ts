import type { Context } from "../change/context.js";
import { errors } from "../change/errors.js";
import { isLiteralAddress } from "./call/addresses.js";
import { NoPublicAddressError, receiverAddresses } from "./call/receiver.js";

/** Time limit for resolving a host before the webhook is refused. */
const LOOKUP_TIMEOUT_MS = 3_000;

/**
 * Refuses a host with a private address. A host that cannot be resolved gets the same message, which must not reveal
 * names known to an internal name server. Every delivery repeats the check.
 * @param field the field of the request
 * @throws ServiceError `invalid`
 */
export async function requirePublicReceiver(
  { config, lookup, caller }: Context,
  field: string,
  url: string,
): Promise<void> {
  const { webhookAllowPrivate: allowPrivate } = config;
  // In development, the name of the receiver may become resolvable later.
  if (allowPrivate && !isLiteralAddress(new URL(url).hostname)) return;
  try {
    await receiverAddresses(new URL(url), {
      lookup,
      allowPrivate,
      account: caller?.id ?? 0,
      signal: AbortSignal.timeout(LOOKUP_TIMEOUT_MS),
    });
  } catch (error) {
    if (!(error instanceof NoPublicAddressError)) throw error;
    if (allowPrivate) throw errors.field(field, error.message);
    throw errors.field(
      field,
      `${error.message} The name servers must already know a name, and only the operator of the service can allow private addresses.`,
    );
  }
}
