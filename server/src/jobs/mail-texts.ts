/**
 * Subjects and texts of the emails. The service does not verify the address of an account, so an email may reach a stranger. A
 * username must therefore not contain a message to the recipient.
 */

/** Maximum length of a displayed username. Common names and addresses are shorter. */
const MAX_SHOWN = 64;
/**
 * Text that email programs display as a link, or that looks like the address of a web page, including names such as
 * `evil.example` next to other words.
 */
const LINK = /[:/\\]|^www[.\u3002]|\s.*[.\u3002]\S|[.\u3002]\S.*\s/iu;

/** Returns the username, shortened if it may be a message, or a placeholder if it may be a link. */
export function shownUsername(username: string): string {
  if (LINK.test(username.normalize("NFKC"))) return "your account";
  const characters = [...username];
  return characters.length <= MAX_SHOWN ? username : `${characters.slice(0, MAX_SHOWN).join("")}…`;
}

/** Subject and text of an email. */
export interface Letter {
  subject: string;
  text: string;
}

export function credentialsMail(username: string, password: string | null): Letter {
  const secret =
    password === null
      ? "Log in with the password that you chose."
      : `Password: ${password}\n\nPlease change it soon.`;
  return {
    subject: "Your account",
    text: `Your account has been created.\n\nUsername: ${shownUsername(username)}\n${secret}\n`,
  };
}

export const resetMail = (username: string, link: string): Letter => ({
  subject: "Set a new password",
  text: `A new password was requested for your account.

Username: ${shownUsername(username)}

To set it, open this link. It works only once and expires after one hour.

${link}

If you did not request it, ignore this email. Your password is not changed.
`,
});

export const passwordChangedMail = (username: string): Letter => ({
  subject: "Your password was changed",
  text: `The password of your account was changed. All sessions have ended.

Username: ${shownUsername(username)}

If you did not change it, someone else knows your password or can read your emails. Secure your mailbox, then request a link
for a new password on the page where you sign in.
`,
});

export const usernameChangedMail = (username: string): Letter => ({
  subject: "Your username was changed",
  text: `The username of your account was changed. Sign in with the new username from now on.

Username: ${shownUsername(username)}

If you did not change it, someone else has access to your account. Sign in and change your password, which ends all other sessions.
`,
});

export const addressChangedMail = (username: string): Letter => ({
  subject: "Your email address was changed",
  text: `The email address of your account was changed. Emails are now sent to the new address.

Username: ${shownUsername(username)}

If you did not change it, someone else knows your password. Tell the operator of the service, who can disable the account and
restore the previous address.
`,
});
