import { useSignal } from "@preact/signals";
import { Action, ProblemOf, useProblem } from "../parts/action.js";
import { announce, underway } from "../parts/announcements.js";
import type { AthleteProfile } from "./profile.js";
import "./picture.css";

/** The size limit for pictures in the service. */
const MAX_PICTURE_BYTES = 2 * 1024 * 1024;

/** Returns the address of an image for the picture of a profile, or null if there is no picture or its format is unknown. */
export function pictureAddress({ profile_picture: picture }: AthleteProfile): string | null {
  if (picture === null) return null;
  const type = [
    ["/9j/", "jpeg"],
    ["iVBOR", "png"],
    ["UklGR", "webp"],
  ].find(([start = ""]) => picture.startsWith(start))?.[1];
  return type === undefined ? null : `data:image/${type};base64,${picture}`;
}

interface Props {
  profile: AthleteProfile;
  name: string;
  /** Stores a picture as base64, or removes it if `null` is passed. */
  onChange: (picture: string | null) => Promise<void>;
}

/** The picture of an athlete, with buttons to change it. */
export function PicturePanel({ profile, name, onChange }: Props) {
  const problem = useProblem();
  const isStoring = useSignal(false);
  const address = pictureAddress(profile);
  const choose = async (input: HTMLInputElement) => {
    const file = input.files?.[0];
    if (file === undefined) return;
    problem.value = null;
    isStoring.value = true;
    underway.value = STORING;
    try {
      if (file.size > MAX_PICTURE_BYTES) throw new Error("It is larger than 2 MiB. Choose a smaller one.");
      await onChange(await base64Of(file));
      announce("The picture is saved.");
    } catch (error) {
      problem.value = { title: "The picture was not saved.", error };
    } finally {
      underway.value = "";
      isStoring.value = false;
      // allows the user to choose the same file again
      input.value = "";
    }
  };
  return (
    <section class="panel padded">
      <h2>Picture</h2>
      <div class="portrait">
        {address === null ? null : <img src={address} alt={name} />}
        <label class="form-field">
          <span>{isStoring.value ? STORING : "JPEG, PNG or WebP, at most 2 MiB"}</span>
          <input
            type="file"
            accept="image/jpeg,image/png,image/webp"
            disabled={isStoring.value}
            onChange={({ currentTarget }) => choose(currentTarget)}
          />
        </label>
        <ProblemOf problem={problem} />
        {address === null ? null : (
          <Action
            problem={problem}
            failed="The picture was not removed."
            busy="Removing the picture…"
            question={{
              title: "Remove the picture?",
              text: "The service has no copy of it.",
              action: "Remove",
            }}
            work={async () => {
              await onChange(null);
              return "The picture is removed.";
            }}
          >
            Remove the picture…
          </Action>
        )}
      </div>
    </section>
  );
}

const STORING = "Saving the picture…";

function base64Of(file: File): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result).replace(/^[^,]*,/, ""));
    reader.onerror = () => reject(reader.error);
    reader.readAsDataURL(file);
  });
}
