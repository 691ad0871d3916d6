import type { ComponentChildren } from "preact";
import type { Account } from "../session.js";

/** Stands where a list is empty: says what belongs there and what to do. */
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

/** Stands where athletes are missing and the manager may add none. */
export const AskForRight = ({ account: { username } }: { account: Account }) => (
  <>
    Ask the person who runs the service for the right to add athletes:{" "}
    <code>asi-server manager grant {username}</code>
  </>
);
