import type { ComponentChildren } from "preact";
import type { Account } from "../session.js";

/** Replaces an empty list. Explains the content of the list and the next step. */
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

/** The hint for a manager who may not add any athletes, if there are none. */
export const AskForRight = ({ account: { username } }: { account: Account }) => (
  <>
    Ask the person who runs the service for the right to add athletes:{" "}
    <code>asi-server manager grant {username}</code>
  </>
);
