import type { ViewProps } from "../view.js";
import { nameOf } from "./sign-in-form.js";

/** The account of who is signed in. */
export function AccountView({ account }: ViewProps) {
  return (
    <>
      <h1>{nameOf(account)}</h1>
      <section class="panel padded">
        <h2>Profile</h2>
        <dl class="facts">
          <div>
            <dt>User name</dt>
            <dd>{account.username}</dd>
          </div>
          <div>
            <dt>E-mail</dt>
            <dd>{account.email}</dd>
          </div>
        </dl>
      </section>
    </>
  );
}
