import { useEffect } from "preact/hooks";
import { goInstead, type Route } from "../../view/route.js";
import { hasPasswords } from "../../view/service.js";
import type { ViewProps } from "../view.js";
import { ForgottenPassword, NewPassword } from "./forgotten-password.js";
import { signInProblem } from "./provider-words.js";
import { Register, SignIn } from "./welcome.js";

/** The pages that users see before they sign in. */
export function Entrance({ session, current }: Pick<ViewProps, "client" | "session"> & { current: Route }) {
  const { path, query } = current;
  if (path[0] === "signed-in") return <Arrival session={session} />;
  if (hasPasswords.value) {
    if (path[0] === "new-password") return <NewPassword session={session} token={query.get("token") ?? ""} />;
    if (path[0] === "register") return <Register session={session} />;
    if (path[0] === "forgotten-password") return <ForgottenPassword session={session} />;
  }
  return <SignIn session={session} problem={signInProblem(query.get("problem"))} />;
}

/** Completes the return from the OpenID provider. The browser has the session cookie, but does not know the account yet. */
function Arrival({ session }: Pick<ViewProps, "session">) {
  useEffect(() => {
    session.begin(true).then(() => {
      if (session.account.peek() === null) goInstead("/sign-in?problem=sign_in_expired");
    });
  }, [session]);
  return null;
}
