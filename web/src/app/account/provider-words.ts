import { providerName } from "../../view/service.js";

/** The reasons why the OpenID provider did not sign a user in, or did not link an account, by the code of the service. */
const PROBLEMS: Readonly<Record<string, string>> = {
  provider_unavailable: "It does not respond. Try again later.",
  provider_refused: "It did not sign you in, or you cancelled. Try again.",
  provider_invalid:
    "Its response cannot be used. The reason is in the log of the service. Ask the person who runs the service.",
  sign_in_expired:
    "The sign-in has expired, or was started in another window. Allow cookies for this page, and try again.",
  no_account:
    "No account here belongs to you yet. Sign in another way and link your account under “Account”, or ask the person who runs the service.",
  no_role: "Your groups there do not let you use this service. Ask the person who manages the groups.",
  wrong_domain: "It does not know you as a member of this club. Sign in there with the account of the club.",
  too_many_accounts: "Too many accounts were created from your network. Try again in an hour.",
  account_disabled: "Your account here is disabled. Ask the person who runs the service.",
  sign_in_disabled: "Signing in to this page is disabled. Ask the person who runs the service.",
  session_ended: "Your session has ended in the meantime. Sign in, and link your account again.",
  identity_taken: "This user is already linked to another account here.",
  already_linked: "Your account is already linked to another user. Remove this link first.",
};

/** Returns the sentences for a code in the address, or null if there is no problem. */
export function signInProblem(code: string | null): string | null {
  if (code === null) return null;
  const words = Object.hasOwn(PROBLEMS, code) ? PROBLEMS[code] : "It did not work. Try again.";
  return `Signing in with ${providerName.value ?? "the provider"}: ${words}`;
}
