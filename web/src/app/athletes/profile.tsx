import type { Resource } from "asi-client";
import type { ComponentProps } from "preact";
import { NO_VALUE } from "../../view/values.js";
import { dateText } from "../parts/days.js";
import { ask } from "../parts/dialog.js";
import { Choice, Field, type Values } from "../parts/form.js";
import { FormProblem } from "../parts/refusal-words.js";
import { requireName } from "../parts/require-name.js";
import { type Finding, impossible, unusual } from "./unusual.js";

type Athlete = Resource["Athlete"];
export type AthleteProfile = Athlete["athlete_profile"];

const GENDERS = [
  ["", "Not given"],
  ["F", "Female"],
  ["M", "Male"],
  ["X", "Other"],
] as const;

type Gender = "F" | "M" | "X";

export const genderName = (gender: string | null): string =>
  GENDERS.find(([value]) => value === gender)?.[1] ?? NO_VALUE;

/** Converts the height, because the API uses metres. */
export const centimetres = (metres: number): number => Math.round(metres * 1000) / 10;

const TEXT = { maxLength: 150 };
const NUMBER = { type: "number", step: "any", min: 0 } as const;

/** The fields of a profile in rows, for a form that sends `athlete_profile`. */
export function ProfileFields({ profile }: { profile: AthleteProfile | null }) {
  const field = (
    name: keyof AthleteProfile,
    label: string,
    attributes: Partial<ComponentProps<typeof Field>>,
  ) => <Field name={`athlete_profile.${name}`} label={label} initial={profile?.[name]} {...attributes} />;
  const height = profile?.height ?? null;
  return (
    <>
      <div class="form-row">
        {field("first_name", "First name", { ...TEXT, isFirst: profile === null })}
        {field("last_name", "Last name", TEXT)}
      </div>
      <div class="form-row">
        {field("birth_date", "Date of birth", {
          type: "date",
          min: "1900-01-01",
          max: dateText(Date.now(), "local"),
        })}
        <Choice name="athlete_profile.gender" label="Gender" choices={GENDERS} initial={profile?.gender} />
      </div>
      <div class="form-row">
        {field("weight", "Weight, kg", { ...NUMBER, max: 500 })}
        {field("height", "Height, cm", {
          ...NUMBER,
          max: 300,
          initial: height === null ? null : centimetres(height),
        })}
      </div>
      {field("nationality", "Nationality", { maxLength: 100 })}
    </>
  );
}

/** The field for the id of the account in another system, for a form that sends `external_id`. */
export const ExternalId = ({ initial }: { initial?: string | null }) => (
  <Field name="external_id" label="ID in another system" initial={initial} maxLength={255} />
);

const problemOf = (found: readonly Finding[]) =>
  new FormProblem(
    Object.fromEntries(found.map(({ name, sentence }) => [`athlete_profile.${name}`, sentence])),
  );

/**
 * Returns the profile in this form after the user has confirmed unusual values.
 * @param needsName whether the athlete has only a made-up username
 * @throws FormProblem
 */
export async function askedProfile(
  values: Values,
  needsName: boolean,
): Promise<ReturnType<typeof profileOf>> {
  const profile = profileOf(values);
  if (needsName) requireName(profile, "athlete_profile.");
  const wrong = impossible(profile, Date.now());
  if (wrong.length > 0) throw problemOf(wrong);
  const found = unusual(profile, Date.now());
  if (found.length === 0) return profile;
  const isRight = await ask({
    title: "Is this right?",
    text: found.map(({ sentence }) => sentence).join(" "),
    action: "Yes, save it",
    isHarmless: true,
  });
  if (isRight) return profile;
  throw problemOf(found);
}

/** Returns the texts of an athlete in the fields of this form. */
export function profileTexts({
  athlete_profile: profile,
  external_id,
}: Pick<Athlete, "athlete_profile" | "external_id">) {
  const { first_name, last_name, birth_date, gender, weight, height, nationality } = profile;
  const shown = { first_name, last_name, birth_date, gender, weight, nationality };
  return {
    external_id,
    "athlete_profile.height": height === null ? null : centimetres(height),
    ...Object.fromEntries(Object.entries(shown).map(([name, value]) => [`athlete_profile.${name}`, value])),
  };
}

/** Returns the profile in this form. An empty field clears the value. */
export function profileOf(values: Values) {
  const text = (name: string) => values(`athlete_profile.${name}`).trim() || null;
  const number = (name: string) => {
    const value = text(name);
    return value === null ? null : Number(value);
  };
  const height = number("height");
  return {
    first_name: text("first_name"),
    last_name: text("last_name"),
    birth_date: text("birth_date"),
    gender: text("gender") as Gender | null,
    weight: number("weight"),
    height: height === null ? null : height / 100,
    nationality: text("nationality"),
  };
}
