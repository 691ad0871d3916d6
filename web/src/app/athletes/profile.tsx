import type { Resource } from "asi-client";
import { useState } from "preact/hooks";
import { ask } from "../parts/dialog.js";
import { Choice, Field, type Values } from "../parts/form.js";
import { wordsOf } from "../parts/problem.js";

type Athlete = Resource["Athlete"];
export type AthleteProfile = Athlete["athlete_profile"];

/** The largest picture that the service takes. */
const MAX_PICTURE_BYTES = 2 * 1024 * 1024;

const GENDERS = [
  ["", "Not given"],
  ["F", "Female"],
  ["M", "Male"],
  ["X", "Other"],
] as const;

type Gender = "F" | "M" | "X";

export const genderName = (gender: string | null): string =>
  GENDERS.find(([value]) => value === gender)?.[1] ?? "Not given";

/** What people call an athlete. Managed athletes have made-up user names, so these are the last resort. */
export function nameOfAthlete({ id, username, managed_by, athlete_profile }: Athlete): string {
  const { first_name, last_name } = athlete_profile;
  const name = [first_name, last_name].filter(Boolean).join(" ");
  return name || (managed_by === null ? username : `Athlete ${id}`);
}

/** The fields of a profile, for a form that sends `athlete_profile`. */
export function ProfileFields({ profile }: { profile: AthleteProfile | null }) {
  return (
    <>
      <div class="form-row">
        <Field
          name="athlete_profile.first_name"
          label="First name"
          initial={profile?.first_name}
          maxLength={150}
          isFirst={profile === null}
        />
        <Field
          name="athlete_profile.last_name"
          label="Last name"
          initial={profile?.last_name}
          maxLength={150}
        />
      </div>
      <div class="form-row">
        <Field
          name="athlete_profile.birth_date"
          label="Date of birth"
          type="date"
          initial={profile?.birth_date}
        />
        <Choice name="athlete_profile.gender" label="Gender" choices={GENDERS} initial={profile?.gender} />
      </div>
      <div class="form-row">
        <Field
          name="athlete_profile.weight"
          label="Weight, kg"
          type="number"
          step="any"
          min={0}
          max={500}
          initial={profile?.weight}
        />
        <Field
          name="athlete_profile.height"
          label="Height, m"
          type="number"
          step="any"
          min={0}
          max={3}
          initial={profile?.height}
        />
      </div>
      <Field
        name="athlete_profile.nationality"
        label="Nationality"
        initial={profile?.nationality}
        maxLength={100}
      />
    </>
  );
}

/** The profile that such a form holds; an empty field clears what was there. */
export function profileOf(values: Values) {
  const text = (name: string) => values(`athlete_profile.${name}`).trim() || null;
  const number = (name: string) => {
    const value = text(name);
    return value === null ? null : Number(value);
  };
  return {
    first_name: text("first_name"),
    last_name: text("last_name"),
    birth_date: text("birth_date"),
    gender: text("gender") as Gender | null,
    weight: number("weight"),
    height: number("height"),
    nationality: text("nationality"),
  };
}

/** The picture of a profile, as an address of an image; null for none, and for what is no image that the page knows. */
export function pictureAddress({ profile_picture: picture }: AthleteProfile): string | null {
  if (picture === null) return null;
  const type = [
    ["/9j/", "jpeg"],
    ["iVBOR", "png"],
    ["UklGR", "webp"],
  ].find(([start = ""]) => picture.startsWith(start))?.[1];
  return type === undefined ? null : `data:image/${type};base64,${picture}`;
}

interface PictureProps {
  profile: AthleteProfile;
  name: string;
  /** Stores a picture, as base64; null removes it. */
  onChange: (picture: string | null) => Promise<void>;
}

/** The picture, and a way to change it. */
export function Picture({ profile, name, onChange }: PictureProps) {
  const [problem, setProblem] = useState("");
  const address = pictureAddress(profile);
  const store = async (picture: string | null) => {
    setProblem("");
    try {
      await onChange(picture);
    } catch (error) {
      setProblem(wordsOf(error));
    }
  };
  const remove = async () => {
    const isSure = await ask({
      title: "Remove the picture?",
      text: "The service has no copy of it.",
      action: "Remove",
    });
    if (isSure) await store(null);
  };
  return (
    <div class="portrait">
      {address === null ? null : <img src={address} alt={name} />}
      <label class="form-field">
        <span>JPEG, PNG or WebP, at most 2 MiB</span>
        <input
          type="file"
          accept="image/jpeg,image/png,image/webp"
          onChange={async ({ currentTarget }) => {
            const file = currentTarget.files?.[0];
            if (file === undefined) return;
            if (file.size > MAX_PICTURE_BYTES) {
              setProblem("The picture is larger than 2 MiB. Choose a smaller one.");
              return;
            }
            await store(await base64Of(file));
          }}
        />
      </label>
      {problem === "" ? null : (
        <p class="bad" role="alert">
          {problem}
        </p>
      )}
      {address === null ? null : (
        <button type="button" onClick={remove}>
          Remove the picture…
        </button>
      )}
    </div>
  );
}

function base64Of(file: File): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result).replace(/^[^,]*,/, ""));
    reader.onerror = () => reject(reader.error);
    reader.readAsDataURL(file);
  });
}
