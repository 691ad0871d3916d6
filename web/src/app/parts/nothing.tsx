import type { ComponentChildren } from "preact";
import type { Account } from "../session.js";

/** Shown where a list is empty: says what belongs there and what to do. */
export function Nothing({ title, children }: { title: string; children?: ComponentChildren }) {
  return (
    <div class="nothing">
      <p>
        <strong>{title}</strong>
      </p>
      {children}
    </div>
  );
}

/** Shown where there are no athletes and the manager may not add any. */
export const AskForRight = ({ account: { username } }: { account: Account }) => (
  <>
    Ask the person who runs the service for the right to add athletes:{" "}
    <code>asi-server manager grant {username}</code>
  </>
);
