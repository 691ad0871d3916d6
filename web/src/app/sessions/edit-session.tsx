import type { Client } from "asi-client";
import type { Settings } from "../../view/settings.js";
import { announce } from "../parts/announcements.js";
import { Dialog } from "../parts/dialog.js";
import type { SquadSession } from "./load-session.js";
import { SessionForm } from "./session-form.js";

interface Props {
  client: Client;
  settings: Settings;
  session: SquadSession;
  onClose: () => void;
  onDone: () => void;
}

/** The dialog that changes a session. */
export const EditSession = ({ session, onClose, onDone, ...props }: Props) => (
  <Dialog title={`Edit ${session.name}`} onClose={onClose}>
    <SessionForm
      {...props}
      session={session}
      onCancel={onClose}
      onDone={() => {
        announce("The session is saved.");
        onDone();
      }}
    />
  </Dialog>
);
