import { FormatRegistry, type StaticDecode, Type } from "@sinclair/typebox";
import { isDate } from "../../wire/date-time.js";
import { CalendarDate, Email, isStorableText, Nullable, OptionalOrNull, Text } from "../../wire/types.js";
import type { Account } from "./find.js";
import { base64Of, MAX_PICTURE_TEXT } from "./picture.js";
import { isShownName } from "./visible-text.js";

export const ManagerProfile = Type.Object({
  id: Type.Integer(),
  first_name: Nullable(Type.String()),
  last_name: Nullable(Type.String()),
});

export const Manager = Type.Object(
  {
    id: Type.Integer(),
    username: Type.String({ description: "Name used to authenticate" }),
    external_id: Nullable(Type.String({ description: "Identifier from another organisation" })),
    email: Type.String({
      description: "Empty if the OpenID provider created the account without a verified address",
    }),
    manager_profile: ManagerProfile,
  },
  {
    $id: "Manager",
    examples: [
      {
        id: 12,
        username: "ann",
        external_id: null,
        email: "ann@example.org",
        manager_profile: { id: 12, first_name: "Ann", last_name: "Ash" },
      },
    ],
  },
);

export function toManager(account: Account) {
  return {
    id: account.id,
    username: account.username,
    external_id: account.externalId,
    email: account.email,
    manager_profile: { id: account.id, first_name: account.firstName, last_name: account.lastName },
  };
}

export const AthleteProfile = Type.Object({
  id: Type.Integer(),
  external_id: Nullable(Type.String()),
  first_name: Nullable(Type.String()),
  last_name: Nullable(Type.String()),
  gender: Nullable(Type.String({ description: "M, F or X" })),
  weight: Nullable(Type.Number({ description: "Kilograms" })),
  height: Nullable(Type.Number({ description: "Metres" })),
  birth_date: Nullable(Type.String({ format: "date" })),
  nationality: Nullable(Type.String()),
  profile_picture: Nullable(Type.String({ description: "Base64 of a JPEG, PNG or WebP image" })),
});

/** Example for bodies and responses. */
export const exampleAthleteProfile = {
  first_name: "Bea",
  last_name: "Birch",
  gender: "F",
  weight: 62.5,
  height: 1.71,
  birth_date: "1998-04-23",
  nationality: "Swiss",
};

export const Athlete = Type.Object(
  {
    id: Type.Integer(),
    username: Type.String(),
    external_id: Nullable(Type.String()),
    email: Type.String({
      description:
        "Empty for managed athletes, and if the OpenID provider created the account without a verified address",
    }),
    managed_by: Nullable(Type.Integer({ description: "Id of the manager who manages this athlete" })),
    is_default_athlete: Type.Boolean(),
    athlete_profile: AthleteProfile,
  },
  {
    $id: "Athlete",
    examples: [
      {
        id: 21,
        username: "bea",
        external_id: null,
        email: "bea@example.org",
        managed_by: null,
        is_default_athlete: false,
        athlete_profile: {
          id: 21,
          external_id: "club-0042",
          ...exampleAthleteProfile,
          profile_picture: null,
        },
      },
    ],
  },
);

export function toAthlete(account: Account) {
  return {
    id: account.id,
    username: account.username,
    external_id: account.externalId,
    email: account.email,
    managed_by: account.managedBy,
    is_default_athlete: account.isDefaultAthlete,
    athlete_profile: {
      id: account.id,
      external_id: account.profileExternalId,
      first_name: account.firstName,
      last_name: account.lastName,
      gender: account.gender,
      weight: account.weightKg,
      height: account.heightM,
      birth_date: account.birthDate,
      nationality: account.nationality,
      profile_picture: account.profilePicture,
    },
  };
}

const Role = Type.Union([Type.Literal("MANAGER"), Type.Literal("ATHLETE"), Type.Literal("ADMINISTRATOR")]);

/** The response of the account operation: the role of the caller, and the resource for this role. */
export const AuthenticatedAccount = Type.Union([
  Type.Composite([
    Manager,
    Type.Object({
      role: Role,
      extra_permissions: Type.Array(Type.String({ description: "can_create_managed_athletes" })),
    }),
  ]),
  Type.Composite([Athlete, Type.Object({ role: Role })]),
]);

export function toAuthenticatedAccount(account: Account) {
  if (account.role === "ATHLETE") return { ...toAthlete(account), role: account.role };
  return {
    ...toManager(account),
    role: account.role,
    extra_permissions: account.canCreateManagedAthletes ? ["can_create_managed_athletes"] : [],
  };
}

/**
 * Returns the schema of an identifier from another system. Null clears it; an empty value, which forms send, counts as absent.
 */
const ExternalId = () =>
  Type.Optional(
    Type.Transform(Nullable(Text({ maxLength: 255, description: "Empty counts as absent" })))
      .Decode((value) => (value === "" ? undefined : value))
      .Encode((value) => value ?? ""),
  );

/** Fields of bodies that both managers and athletes have. */
export const accountFields = {
  username: Text({ minLength: 1, description: "Name used to authenticate" }),
  email: Email(),
  external_id: ExternalId(),
};

export const Password = Type.String({ minLength: 8, maxLength: 128, format: "password" });

/** Whether a text can be the first or the last name of a person. */
export const isPersonName = (value: string): boolean => isStorableText(value) && isShownName(value);

FormatRegistry.Set("person-name", isPersonName);

const PersonName = () =>
  Text({
    format: "person-name",
    problem: "Enter a name with visible characters and without control characters.",
  });

const ManagerProfileFields = Type.Object({
  first_name: Type.Optional(Nullable(PersonName())),
  last_name: Type.Optional(Nullable(PersonName())),
});

export const FIRST_BIRTH_DATE = "1900-01-01";
/** The earliest time zone is 14 hours ahead of UTC. */
const EARLIEST_ZONE_MS = 14 * 3_600_000;

const today = () => new Date(Date.now() + EARLIEST_ZONE_MS).toISOString().slice(0, 10);

/** Whether a date can be a date of birth. */
export const isBirthDate = (value: string): boolean =>
  isDate(value) && value >= FIRST_BIRTH_DATE && value <= today();

FormatRegistry.Set("birth-date", isBirthDate);

const BirthDate = () =>
  CalendarDate({
    format: "birth-date",
    problem: `Expected a date such as 1990-12-31, from ${FIRST_BIRTH_DATE} to today.`,
    description: `From ${FIRST_BIRTH_DATE} to today`,
    openapi: { type: "string", format: "date" },
  });

const AthleteProfileFields = Type.Object({
  external_id: ExternalId(),
  first_name: Type.Optional(Nullable(PersonName())),
  last_name: Type.Optional(Nullable(PersonName())),
  gender: Type.Optional(Nullable(Type.Union([Type.Literal("M"), Type.Literal("F"), Type.Literal("X")]))),
  weight: Type.Optional(
    Nullable(Type.Number({ exclusiveMinimum: 0, maximum: 500, description: "Kilograms" })),
  ),
  height: Type.Optional(Nullable(Type.Number({ exclusiveMinimum: 0, maximum: 3, description: "Metres" }))),
  birth_date: Type.Optional(Nullable(BirthDate())),
  nationality: Type.Optional(Nullable(Text({ maxLength: 100 }))),
  profile_picture: Type.Optional(
    Nullable(
      Type.Transform(
        Type.String({
          format: "picture",
          maxLength: MAX_PICTURE_TEXT,
          problem: "Expected base64 of a JPEG, PNG or WebP image of at most 2 MiB.",
          description: "Base64 of a JPEG, PNG or WebP image of at most 2 MiB; may be a data URL",
        }),
      )
        .Decode(base64Of)
        .Encode((base64) => base64),
    ),
  ),
});

export type ManagerProfileInput = StaticDecode<typeof ManagerProfileFields>;
export type AthleteProfileInput = StaticDecode<typeof AthleteProfileFields>;

/** The current password proves that the user, and not someone who has found a token, makes the change. */
export const CurrentPassword = Type.Optional(
  Type.String({
    minLength: 1,
    maxLength: 4096,
    format: "password",
    description:
      "Required to change the username, the email address or the password if the session began more than 5 minutes ago; always checked if it is sent",
  }),
);

/** Text for descriptions of operations with `CurrentPassword`. */
export const NEEDS_CURRENT_PASSWORD =
  "Changing the username, the email address or the password requires current_password if the session began more than 5 minutes ago.";

/** The body of the operations that set a new password. */
export const NewPassword = Type.Object(
  { password: Password, current_password: CurrentPassword },
  { examples: [{ password: "a longer passphrase", current_password: "a long passphrase" }] },
);

/** Optional members of bodies. */
export const optionalFields = {
  password: OptionalOrNull(Password),
  manager_profile: OptionalOrNull(ManagerProfileFields),
  athlete_profile: OptionalOrNull(AthleteProfileFields),
};
