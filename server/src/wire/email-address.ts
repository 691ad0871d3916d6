import { domainToASCII } from "node:url";

/** An address without spaces, invisible characters, quotes and comments, whose domain has no delimiters of URLs. */
const ADDRESS =
  /^[^\s@\p{Cc}\p{Cs}\p{Default_Ignorable_Code_Point}<>(),;:"\\[\]]+@[^\s@\p{Cc}\p{Cs}\p{Default_Ignorable_Code_Point}<>(),;:"\\[\]/?#%]+$/u;

/** At least two labels. The last one does not start with a digit, unlike that of an IP address. */
const HOST = /^(?:[a-z0-9_-]{1,63}\.)+[a-z][a-z0-9-]{0,62}$/;

/**
 * Returns the domain of an email address in lower case with A-labels, to which emails are sent: `BÜCHER。example` is
 * `xn--bcher-kva.example` (UTS 46). The result is empty if there is no such form.
 */
export const emailDomain = (email: string): string => domainToASCII(email.slice(email.lastIndexOf("@") + 1));

export const isEmailAddress = (value: string): boolean =>
  ADDRESS.test(value) && HOST.test(emailDomain(value));
