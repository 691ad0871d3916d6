/** A mail server on the loopback interface that stores emails, and can refuse emails or delay its responses. */
import { SMTPServer } from "smtp-server";
import { stopAfterTest } from "./cleanup.js";

export interface MailServer {
  url: string;
  mails: string[];
  /** Set to true to refuse all emails. */
  refuses: boolean;
  /** Delays the response to the next email until the returned function is called. */
  hold(then?: { refuses: boolean }): () => void;
  /** Returns the number of emails that wait for a response. */
  held(): number;
}

/** Starts a mail server, and stops it at the end of the test. */
export async function startMailServer(): Promise<MailServer> {
  let holding: Promise<void> | undefined;
  let refusesHeld = false;
  let held = 0;
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ["STARTTLS"],
    async onData(stream, _session, done) {
      let text = "";
      stream.on("data", (chunk) => {
        text += chunk;
      });
      stream.on("end", async () => {
        let refuses = mail.refuses;
        if (holding !== undefined) {
          const released = holding;
          holding = undefined;
          held += 1;
          await released;
          held -= 1;
          refuses ||= refusesHeld;
        }
        if (refuses) return done(Object.assign(new Error("Try later"), { responseCode: 451 }));
        mail.mails.push(text);
        done();
      });
    },
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  stopAfterTest(() => new Promise<void>((done) => server.close(() => done())));
  const mail: MailServer = {
    url: `smtp://127.0.0.1:${port}`,
    mails: [],
    refuses: false,
    hold({ refuses } = { refuses: false }) {
      refusesHeld = refuses;
      const release = new EventTarget();
      holding = new Promise((resolve) => release.addEventListener("release", () => resolve()));
      return () => release.dispatchEvent(new Event("release"));
    },
    held: () => held,
  };
  return mail;
}
