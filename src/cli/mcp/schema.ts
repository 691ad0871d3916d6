import { DescribedError } from "../terminal/problem.js";

/** The part of JSON Schema that describes the arguments of the tools. */
export type Property = { description: string } & (
  | { type: "string"; enum?: readonly string[]; maxLength: number }
  | { type: "integer"; minimum: number; maximum: number }
  | {
      type: "array";
      items: { type: "string"; enum?: readonly string[]; maxLength: number };
      minItems: number;
      maxItems: number;
    }
);

/** The arguments of a tool. */
export interface InputSchema {
  type: "object";
  properties: Readonly<Record<string, Property>>;
  required: readonly string[];
  additionalProperties: false;
}

/** Arguments that have been validated. */
export type Given = Readonly<Record<string, string | number | readonly string[] | undefined>>;

const MAX_TEXT = 1000;

export const text = (description: string, names?: readonly string[]): Property => ({
  type: "string",
  description,
  ...(names !== undefined && { enum: names }),
  maxLength: MAX_TEXT,
});

export const integer = (description: string, minimum: number, maximum: number): Property => ({
  type: "integer",
  description,
  minimum,
  maximum,
});

export const texts = (
  description: string,
  [minItems, maxItems]: readonly [number, number],
  names?: readonly string[],
): Property => ({
  type: "array",
  description,
  items: { type: "string", ...(names !== undefined && { enum: names }), maxLength: MAX_TEXT },
  minItems,
  maxItems,
});

export const input = (
  properties: Readonly<Record<string, Property>>,
  required: readonly string[] = [],
): InputSchema => ({ type: "object", properties, required, additionalProperties: false });

/** Creates the error for a call with invalid arguments. */
export const badArguments = (message: string): DescribedError =>
  new DescribedError({ error: { code: "BAD_ARGUMENTS", message } });

/**
 * Validates the arguments of a call.
 * @throws DescribedError `BAD_ARGUMENTS` with the argument and its allowed values
 */
export function checked(schema: InputSchema, given: unknown): Given {
  if (given === undefined && schema.required.length === 0) return {};
  if (typeof given !== "object" || given === null || Array.isArray(given))
    throw badArguments("Give the arguments as an object.");
  const own = given as Record<string, unknown>;
  const names = Object.keys(schema.properties);
  for (const name of Object.keys(own)) {
    if (!Object.hasOwn(schema.properties, name))
      throw badArguments(
        `There is no argument ${JSON.stringify(name.slice(0, 100))}; the arguments are ${names.join(", ") || "none"}.`,
      );
  }
  for (const name of schema.required)
    if (own[name] === undefined) throw badArguments(`The argument ${name} is missing.`);
  for (const [name, property] of Object.entries(schema.properties)) {
    if (own[name] === undefined) continue;
    const wanted = wantedOf(property, own[name]);
    if (wanted !== null) throw badArguments(`The argument ${name} must be ${wanted}.`);
  }
  return own as Given;
}

/** Describes the expected form of an invalid value. Returns null if the value is valid. */
function wantedOf(property: Property, value: unknown): string | null {
  switch (property.type) {
    case "string":
      return isText(property, value) ? null : wantedText(property);
    case "integer": {
      const { minimum, maximum } = property;
      const isRight = Number.isInteger(value) && Number(value) >= minimum && Number(value) <= maximum;
      return isRight ? null : `a whole number from ${minimum} to ${maximum}`;
    }
    case "array": {
      const { items, minItems, maxItems } = property;
      const isRight =
        Array.isArray(value) &&
        value.length >= minItems &&
        value.length <= maxItems &&
        value.every((item) => isText(items, item));
      return isRight ? null : `a list of ${minItems} to ${maxItems} strings, each ${wantedText(items)}`;
    }
  }
}

interface TextRule {
  enum?: readonly string[];
  maxLength: number;
}

const isText = (rule: TextRule, value: unknown): boolean =>
  typeof value === "string" && value.length <= rule.maxLength && (rule.enum?.includes(value) ?? true);

const wantedText = (rule: TextRule): string =>
  rule.enum === undefined
    ? `a string of at most ${rule.maxLength} characters`
    : `one of ${rule.enum.join(", ")}`;
