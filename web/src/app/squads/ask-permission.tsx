import type { Resource } from "asi-client";
import { accountName, athleteName } from "../names.js";
import { announce } from "../parts/announcements.js";
import { Dialog } from "../parts/dialog.js";
import type { Account } from "../session.js";
import type { Squad } from "./tab.js";

interface Props {
  account: Account;
  squad: Squad;
  /** The athletes to ask, if the manager can see them. */
  athletes: readonly Resource["Athlete"][];
  onClose: () => void;
}

/** Returns the address that opens a filled-in permission form for an athlete. */
const addressFor = ({ id, username }: Account): string =>
  `${location.origin}${location.pathname}#/permissions?${new URLSearchParams({ manager: String(id), username, may: "READ,WRITE" })}`;

/** Creates a text for the manager to send, with a link to the filled-in form. The service sends no requests to athletes. */
export function AskPermission({ account, squad, athletes, onClose }: Props) {
  const asked = athletes.filter(({ managed_by }) => managed_by === null);
  const managed = athletes.length - asked.length;
  const mails = asked.flatMap(({ email }) => email || []);
  const subject = `Your permission for ${squad.name}`;
  const text = `Please let me see your recordings and make time frames for the sessions of ${squad.name}. Sign in at this address, check from when to when, and give the permission:

${addressFor(account)}

You can take it back at any time.

${accountName(account)}`;
  const mail = `mailto:?${[
    ["bcc", mails.join(",")],
    ["subject", subject],
    ["body", text],
  ]
    .map(([name, value = ""]) => `${name}=${encodeURIComponent(value)}`)
    .join("&")}`;
  return (
    <Dialog title="Ask for permission" onClose={onClose}>
      <p>
        Athletes with an account grant permissions themselves. Send them this text. Its link opens the form
        with your number and username.
      </p>
      {managed > 0 ? (
        <p class="note">
          {managed === 1 ? "One player is" : `${managed} players are`} managed by you or another manager, and
          need not be asked.
        </p>
      ) : null}
      {asked.length > 0 ? <p class="note">To ask: {asked.map(athleteName).join(", ")}.</p> : null}
      <textarea class="message-text" aria-label="Text for the athletes" readOnly value={text} />
      <div class="dialog-buttons">
        <button
          type="button"
          onClick={async () => {
            await navigator.clipboard.writeText(text);
            announce("The text is copied.");
          }}
        >
          Copy the text
        </button>
        <a class="button primary" href={mail}>
          Write an email
        </a>
      </div>
    </Dialog>
  );
}
