import { Field } from "../parts/form.js";

/** A field for a new password. */
export const NewPasswordField = ({ label = "New password", more = "", isFirst = false }) => (
  <Field
    name="password"
    label={label}
    type="password"
    autoComplete="new-password"
    required
    minLength={8}
    maxLength={128}
    hint={`At least 8 characters.${more}`}
    isFirst={isFirst}
  />
);

/** A field for the current password, which proves that the owner of the account makes the request. */
export const CurrentPasswordField = ({ isFirst = false }) => (
  <Field
    name="current_password"
    label="Current password"
    type="password"
    autoComplete="current-password"
    required
    maxLength={128}
    isFirst={isFirst}
  />
);

/** Fields for the sign-in name and the email address of a new or changed account. */
export const LoginFields = ({
  account,
  onUsername,
  onEmail,
}: {
  account?: { username: string; email: string };
  onUsername?: (username: string) => void;
  onEmail?: (email: string) => void;
}) => (
  <>
    <Field
      name="username"
      label="Username"
      initial={account?.username}
      required
      maxLength={150}
      autoComplete="username"
      isFirst={account === undefined}
      {...(onUsername === undefined ? {} : { onValue: onUsername })}
    />
    <Field
      name="email"
      label="Email"
      type="email"
      initial={account?.email}
      required
      maxLength={254}
      autoComplete="email"
      {...(onEmail === undefined ? {} : { onValue: onEmail })}
    />
  </>
);

/** Fields for first and last name. `prefix` precedes their names in the request. */
export const NameFields = ({
  prefix = "",
  names,
}: {
  prefix?: string;
  names?: { first_name: string | null; last_name: string | null };
}) => (
  <div class="form-row">
    {(
      [
        ["first_name", "First name", "given-name"],
        ["last_name", "Last name", "family-name"],
      ] as const
    ).map(([name, label, autoComplete]) => (
      <Field
        key={name}
        name={`${prefix}${name}`}
        label={label}
        initial={names?.[name]}
        maxLength={150}
        autoComplete={autoComplete}
      />
    ))}
  </div>
);
