/** The texts of the mails. Their subjects are in `mail.ts`. */

export function credentialsText(username: string, password: string | null): string {
  const secret =
    password === null
      ? "Log in with the password that you chose."
      : `Password: ${password}\n\nPlease change it soon.`;
  return `Your account has been created.\n\nUsername: ${username}\n${secret}\n`;
}

export const resetText = (username: string, link: string) => `A new password was requested for your account.

Username: ${username}

To set it, open this link. It works once, and for one hour.

${link}

If you did not request it, ignore this mail. Your password stays as it is.
`;

export const changedText = (
  username: string,
) => `The password of your account was changed. All sessions have ended.

Username: ${username}

If you did not change it, someone else knows your password or can read your mails. Secure your mailbox, then request a link
for a new password on the page where you sign in.
`;

export const addressText = (
  username: string,
) => `The mail address of your account was changed. Mails go to the new address from now on.

Username: ${username}

If you did not change it, someone else knows your password. Tell the operator of the service, who can disable the account and
set the address back.
`;
