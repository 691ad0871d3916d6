import { ApiError } from "asi-client";
import { refusalInWords } from "../../recording/service-words.js";

/** A message of the service with the path of its field. The path is empty if the message belongs to no field. */
interface FieldMessage {
  path: readonly string[];
  message: string;
}

/** Returns the label of a field by its name, or undefined if the form does not contain the field. */
export type LabelOf = (name: string) => string | undefined;

/** Errors that the page finds in a form, by field name. */
export class FormProblem extends Error {
  override readonly name = "FormProblem";
  readonly fields: Readonly<Record<string, string>>;

  constructor(fields: Readonly<Record<string, string>>) {
    super(Object.values(fields).join(" "));
    this.fields = fields;
  }
}

/** Readable words for names in the API. */
const WORDS: Readonly<Record<string, string>> = {
  athlete_profile: "The profile",
  json: "The details",
  json_schema: "The sport",
  mac_address: "The address",
  params: "The details",
  profile_picture: "The picture",
};

/**
 * Messages of the service about a single value, with replacements. The messages contain "this field", and the replacements name the field.
 */
const SENTENCES: readonly (readonly [RegExp, string])[] = [
  [/^This field (?:is required|may not be blank|may not be null)\.$/, "{} is missing."],
  [/^This value is already taken\.$/, "{} is already taken. Choose another."],
  [/^Ensure this field has at least (\d+) characters\.$/, "{} must have at least $1 characters."],
  [/^Ensure this field has no more than (\d+) characters\.$/, "{} must have at most $1 characters."],
  [/^Ensure this list has no more than (\d+) items\.$/, "{} must have at most $1 entries."],
  [/^Ensure this value is greater than or equal to (\S+)\.$/, "{} must be at least $1."],
  [/^Ensure this value is less than or equal to (\S+)\.$/, "{} must be at most $1."],
  [/^Ensure this value is greater than (\S+)\.$/, "{} must be more than $1."],
  [/^A valid integer is required\.$/, "{} must be a whole number."],
  [/^A valid number is required\.$/, "{} must be a number."],
  [/^Not a valid choice; expected one of .*\.$/, "{} must be one of the choices."],
  [/^Must be after (\w+)\.$/, "{} must be later than {$1}."],
  [/^Must not be before (\w+)\.$/, "{} must not be earlier than {$1}."],
  [/^Must be at most (\d+) (days|hours) after (\w+)\.$/, "{} must be at most $1 $2 after {$3}."],
  [/^Must be (.+)$/, "{} must be $1"],
  [/^Enter a valid email address\.$/, "{} must be an email address, such as ann@example.org."],
  [
    /^Expected base64 of a JPEG, PNG or WebP image of at most (.+)\.$/,
    "{} must be a JPEG, PNG or WebP image of at most $1.",
  ],
  [/^Expected (.+)$/, "{} must be $1"],
  [
    /^(?:Control characters, and spaces|White space) at the ends\b.* not allowed\.$/,
    "{} must have no spaces at its ends, and no invisible characters.",
  ],
  [/^Control characters are not allowed\.$/, "{} must have no line breaks or other control characters."],
  [/^Ensure this document has no more than (.+)\.$/, "{} must have at most $1."],
  [/^(?:There is|You have) no .* with this id\.$/, "{} no longer exists, or you may not use it."],
  [/^This value must be >= (\S+)\.$/, "{} must be at least $1."],
  [/^This value must be <= (\S+)\.$/, "{} must be at most $1."],
  [/^This value (.+)$/, "{} $1"],
  [/^At most (\d+) days may lie between start and stop\.$/, "The time must be at most $1 days long."],
  [/\boffset was read as a space\b/, "{} is not valid."],
  [/^The activity has time frames whose\b/, "{} is fixed, because the activity has time frames."],
  [/\bJSON schema/, "{} does not belong to this activity."],
  [
    /^(Enter a valid value|Not a valid string|Not valid base64|Expected a list|Invalid data\b.*|Unknown field)\.$/,
    "{} is not valid.",
  ],
];

/** Returns a name of the API in words, for fields without a label. */
function wordsOfName(name: string): string {
  const last = name.split(".").at(-1) ?? name;
  const words = last.replaceAll("_", " ").trim();
  return WORDS[last] ?? words.charAt(0).toUpperCase() + words.slice(1);
}

/** "Height, cm" is called "Height" in a sentence. */
const subjectOf = (label: string): string => label.replace(/,.*$/, "").trim();

/**
 * Returns a message of the service as a sentence about a field.
 * @param name of the field, with dots for nested objects
 */
export function sentenceOf(message: string, name: string, labelOf: LabelOf): string {
  const subject = (of: string) => subjectOf(labelOf(of) ?? wordsOfName(of));
  const sibling = (other: string) => subject(name.replace(/[^.]*$/, other));
  for (const [pattern, sentence] of SENTENCES) {
    const found = pattern.exec(message);
    if (found === null) continue;
    return sentence.replace(/\{(?:\$(\d))?\}|\$(\d)/g, (_, other?: string, value?: string) =>
      other !== undefined
        ? sibling(found[Number(other)] ?? "")
        : value !== undefined
          ? (found[Number(value)] ?? "")
          : subject(name),
    );
  }
  return message;
}

/** Returns the messages in the body of a refusal, each of them once. Items of a list share their messages. */
function messagesIn(body: unknown): FieldMessage[] {
  // version 2 of the API returns problem details
  const { errors } = Object(body) as { errors?: { field: string; detail: string }[] };
  if (errors)
    return errors.map(({ field, detail }) => ({ path: field.split(".").filter(Boolean), message: detail }));
  const found = new Map<string, FieldMessage>();
  const collect = (path: readonly string[], value: unknown) => {
    if (Array.isArray(value) && value.every((one) => typeof one === "string")) {
      const named = path.filter((part) => !/^\d+$/.test(part) && part !== "non_field_errors");
      const key = `${named.join(".")} ${value.join(" ")}`;
      if (!found.has(key)) found.set(key, { path: named, message: value.join(" ") });
    } else if (typeof value === "object" && value !== null) {
      for (const [name, nested] of Object.entries(value)) collect([...path, name], nested);
    }
  };
  collect([], body);
  return [...found.values()];
}

const NO_LABEL: LabelOf = () => undefined;

/**
 * Returns the messages of the service about the fields of a request, as sentences by field name. Messages that belong to no field have an
 * empty name. The list is empty if the error has no messages about fields.
 */
export function fieldSentences(error: unknown, labelOf: LabelOf = NO_LABEL): Map<string, string> {
  if (error instanceof FormProblem) return new Map(Object.entries(error.fields));
  const sentences = new Map<string, string>();
  if (!(error instanceof ApiError) || error.status !== 400) return sentences;
  for (const { path, message } of messagesIn(error.body)) {
    const name = path.join(".");
    const sentence = name === "" ? message : sentenceOf(message, name, labelOf);
    const place = labelOf(name) === undefined ? "" : name;
    const before = sentences.get(place);
    sentences.set(place, before === undefined ? sentence : `${before} ${sentence}`);
  }
  return sentences;
}

/** Returns the message of a refused request for pages without a form. */
export function refusalWords(error: ApiError | FormProblem): string {
  const sentences = [...fieldSentences(error).values()];
  if (sentences.length > 0) return sentences.join(" ");
  return error instanceof ApiError ? refusalInWords(error) : error.message;
}
