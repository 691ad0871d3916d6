/** What can be written of a row. */
export type Field =
  /** s since 1970 UTC, three decimals */
  | "seconds"
  /** degrees, seven decimals */
  | "latitude"
  | "longitude"
  /** the same meridian as -180 where it is 180 */
  | "longitudeBelow180"
  /** m above mean sea level, three decimals */
  | "altitude"
  /** m/s, three decimals */
  | "speed"
  /** beats per minute */
  | "hr"
  /** whole ms since 1970 UTC */
  | "milliseconds"
  /** `2025-05-17T14:30:00.050Z`; a year from 10000 on as `Date.prototype.toISOString` writes it */
  | "isoTime";

export type DecimalMark = "." | ",";

/** A text, a field, or parts for rows that have an altitude or a heart rate, and parts for those that have none. */
export type TemplatePart =
  | string
  | { readonly field: Field; readonly decimalMark?: DecimalMark }
  | {
      readonly where: "altitude" | "hr";
      readonly given: readonly TemplatePart[];
      readonly missing?: readonly TemplatePart[];
    };

/** One thing to be done for a row: nothing unless all conditions hold; otherwise the text, then perhaps the field. */
export interface Instruction {
  /** Sum of `Condition`s. */
  readonly conditions: number;
  readonly text: string;
  /** Those of the field alone. */
  readonly fieldConditions: number;
  readonly field: Field | null;
  readonly decimalMark: DecimalMark;
}

/** How rows are written as text. Made by `rowTemplate`, which proves that it fits the core. */
export interface RowTemplate {
  readonly instructions: readonly Instruction[];
  /** The same as the core reads it (assembly/template.ts), the text at the end of a row in front of the next one. */
  readonly program: Uint8Array;
  /** The length of that text. */
  readonly tailBytes: number;
  /** The most bytes of a row. */
  readonly maxRowBytes: number;
}

/** What an instruction can depend on. */
export const Condition = {
  withAltitude: 1,
  withoutAltitude: 2,
  withHr: 4,
  withoutHr: 8,
} as const;

/** The number by which the core knows a field, and the most bytes that it takes. */
const FIELDS: Readonly<Record<Field, { readonly code: number; readonly maxBytes: number }>> = {
  // -62167219200.000, the beginning of the year 0
  seconds: { code: 1, maxBytes: 16 },
  // -214.7483648: rows that a caller gives can hold any integer of 32 bits
  latitude: { code: 2, maxBytes: 12 },
  longitude: { code: 3, maxBytes: 12 },
  altitude: { code: 4, maxBytes: 12 },
  speed: { code: 5, maxBytes: 12 },
  hr: { code: 6, maxBytes: 3 },
  milliseconds: { code: 7, maxBytes: 15 },
  isoTime: { code: 8, maxBytes: 27 },
  longitudeBelow180: { code: 9, maxBytes: 12 },
};

/** Room for a program in the core: PROGRAM_CAPACITY of assembly/memory.ts. */
const PROGRAM_CAPACITY = 4096;
/** A row must fit the output of the core many times over. */
const MOST_ROW_BYTES = 8192;

/** Stands among the conditions of an instruction whose text is longer than a block. */
const IS_LONG = 0x80;

const HEAD_BYTES = 8;
const BLOCK_BYTES = 16;

/**
 * Makes a template of its parts.
 *
 * @throws RangeError for one that is too long: a mistake in the program that made it, never in what a user gave
 */
export function rowTemplate(parts: readonly TemplatePart[]): RowTemplate {
  const instructions = instructionsOf(parts, 0);
  // the core runs one at least
  if (instructions.length === 0) instructions.push(NO_INSTRUCTION);
  const { rotated, tailBytes } = rotate(instructions);
  const texts = rotated.map(({ text }) => utf8.encode(text));
  const sizes = texts.map(
    ({ length }) => HEAD_BYTES + BLOCK_BYTES * Math.max(1, Math.ceil(length / BLOCK_BYTES)),
  );
  const program = new Uint8Array(sizes.reduce((sum, size) => sum + size, 0));
  const maxRowBytes = rotated.reduce(
    (sum, { field }, i) => sum + (texts[i]?.length ?? 0) + (field === null ? 0 : FIELDS[field].maxBytes),
    0,
  );
  if (program.length > PROGRAM_CAPACITY || maxRowBytes > MOST_ROW_BYTES) {
    throw new RangeError(`the template of a row is too long: ${program.length} bytes, ${maxRowBytes} a row`);
  }
  const view = new DataView(program.buffer);
  let at = 0;
  for (const [i, { conditions, fieldConditions, field, decimalMark }] of rotated.entries()) {
    const text = texts[i] ?? new Uint8Array(0);
    const size = sizes[i] ?? 0;
    view.setUint8(at, conditions | (text.length > BLOCK_BYTES ? IS_LONG : 0));
    view.setUint8(at + 1, fieldConditions);
    view.setUint8(at + 2, field === null ? 0 : FIELDS[field].code);
    view.setUint8(at + 3, decimalMark.charCodeAt(0));
    view.setUint16(at + 4, text.length, true);
    view.setUint16(at + 6, size, true);
    program.set(text, at + HEAD_BYTES);
    at += size;
  }
  return { instructions, program, tailBytes, maxRowBytes };
}

const utf8 = new TextEncoder();

const NO_INSTRUCTION: Instruction = {
  conditions: 0,
  text: "",
  fieldConditions: 0,
  field: null,
  decimalMark: ".",
};

/** Room in front of the output of the core: TAIL_CAPACITY of assembly/memory.ts. */
const TAIL_CAPACITY = 128;

// Puts the text at the end of a row in front of the first text: one instruction less for each row.
function rotate(instructions: readonly Instruction[]): {
  rotated: readonly Instruction[];
  tailBytes: number;
} {
  const [first, ...others] = instructions;
  const last = others.pop();
  const tail = last === undefined || last.field !== null || last.conditions !== 0 ? "" : last.text;
  const tailBytes = utf8.encode(tail).length;
  if (first === undefined || first.conditions !== 0 || tail === "" || tailBytes > TAIL_CAPACITY) {
    return { rotated: instructions, tailBytes: 0 };
  }
  return { rotated: [{ ...first, text: tail + first.text }, ...others], tailBytes };
}

// A text goes before the field that follows it; texts in a row become one.
function instructionsOf(parts: readonly TemplatePart[], conditions: number): Instruction[] {
  const instructions: Instruction[] = [];
  let text = "";
  const add = (field: Field | null, decimalMark: DecimalMark = ".", fieldConditions = 0) => {
    if (text !== "" || field !== null) {
      instructions.push({ conditions, text, fieldConditions, field, decimalMark });
    }
    text = "";
  };
  for (const part of parts) {
    if (typeof part === "string") {
      text += part;
    } else if ("field" in part) {
      add(part.field, part.decimalMark);
    } else {
      const { where, given, missing = [] } = part;
      const [ifGiven, ifMissing] =
        where === "altitude"
          ? [Condition.withAltitude, Condition.withoutAltitude]
          : [Condition.withHr, Condition.withoutHr];
      const [first, ...others] = given;
      if (typeof first === "object" && "field" in first) {
        // the text in front of it is written in any case, by the same instruction
        add(first.field, first.decimalMark, ifGiven);
        instructions.push(...instructionsOf(others, conditions | ifGiven));
      } else {
        add(null);
        instructions.push(...instructionsOf(given, conditions | ifGiven));
      }
      instructions.push(...instructionsOf(missing, conditions | ifMissing));
    }
  }
  add(null);
  return instructions;
}
