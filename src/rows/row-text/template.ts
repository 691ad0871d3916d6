/** A value of a row, with its text format. */
export type Field =
  /** s since 1970 UTC, three decimals */
  | "seconds"
  /** degrees, seven decimals */
  | "latitude"
  | "longitude"
  /** longitude, with -180 instead of 180, which is the same meridian */
  | "longitudeBelow180"
  /** m above mean sea level, three decimals */
  | "altitude"
  /** m/s, three decimals */
  | "speed"
  /** beats per minute */
  | "hr"
  /** whole ms since 1970 UTC */
  | "milliseconds"
  /** `2025-05-17T14:30:00.050Z`; years 10000 and later as in `Date.prototype.toISOString` */
  | "isoTime"
  /** local time with the UTC offset of the template: `2025-05-17T16:30:00.050` */
  | "localTime"
  /** local time for spreadsheets: `2025-05-17 16:30:00.050`, with the decimal mark */
  | "spreadsheetTime";

export type DecimalMark = "." | ",";

/** A text, a field, or a condition with parts for rows that have an altitude or heart rate, and parts for rows that do not. */
export type TemplatePart =
  | string
  | { readonly field: Field; readonly decimalMark?: DecimalMark }
  | {
      readonly where: "altitude" | "hr";
      readonly given: readonly TemplatePart[];
      readonly missing?: readonly TemplatePart[];
    };

/**
 * An instruction of the program. If all conditions are true, it writes the text, and then the field, if its additional conditions
 * are also true.
 */
export interface Instruction {
  /** Bit set of `Condition`. */
  readonly conditions: number;
  readonly text: string;
  /** Additional conditions for the field. */
  readonly fieldConditions: number;
  readonly field: Field | null;
  readonly decimalMark: DecimalMark;
}

/** Describes the text of rows. Use `rowTemplate` to create a template; it checks that the program fits into the core. */
export interface RowTemplate {
  readonly instructions: readonly Instruction[];
  /**
   * The instructions in the binary format of assembly/template.ts. The text at the end of a row is moved to the start of the next
   * row.
   */
  readonly program: Uint8Array;
  /** Length of the moved text. */
  readonly tailBytes: number;
  /** Maximum length of a row in bytes. */
  readonly maxRowBytes: number;
  /** Local time minus UTC, for the fields `localTime` and `spreadsheetTime`. */
  readonly utcOffsetMs: number;
}

/** Conditions for instructions, as bits. */
export const Condition = {
  withAltitude: 1,
  withoutAltitude: 2,
  withHr: 4,
  withoutHr: 8,
} as const;

/** The code of each field in the core, and its maximum length in bytes. */
const FIELDS: Readonly<Record<Field, { readonly code: number; readonly maxBytes: number }>> = {
  // for -62167219200.000, the start of the year 0
  seconds: { code: 1, maxBytes: 16 },
  // for -214.7483648, because rows from callers can contain any 32-bit integer
  latitude: { code: 2, maxBytes: 12 },
  longitude: { code: 3, maxBytes: 12 },
  altitude: { code: 4, maxBytes: 12 },
  speed: { code: 5, maxBytes: 12 },
  hr: { code: 6, maxBytes: 3 },
  milliseconds: { code: 7, maxBytes: 15 },
  isoTime: { code: 8, maxBytes: 27 },
  longitudeBelow180: { code: 9, maxBytes: 12 },
  localTime: { code: 10, maxBytes: 26 },
  spreadsheetTime: { code: 11, maxBytes: 26 },
};

/** Space for a program in the core: PROGRAM_CAPACITY in assembly/memory.ts. */
const PROGRAM_CAPACITY = 4096;
/** Maximum length of a row in bytes. It is limited so that many rows fit into the output of the core. */
const MAX_ROW_BYTES = 8192;

/** Flag among the conditions of an instruction whose text is longer than one block. */
const IS_LONG = 0x80;

const HEAD_BYTES = 8;
const BLOCK_BYTES = 16;

/**
 * Creates a template from its parts.
 *
 * @param utcOffsetMs local time minus UTC, less than two days
 * @throws RangeError if the template is too long, which is a mistake in the calling code
 */
export function rowTemplate(parts: readonly TemplatePart[], utcOffsetMs = 0): RowTemplate {
  const instructions = instructionsOf(parts, 0);
  // the core always runs at least one instruction
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
  if (program.length > PROGRAM_CAPACITY || maxRowBytes > MAX_ROW_BYTES) {
    throw new RangeError(
      `the row template is too long: ${program.length} bytes, ${maxRowBytes} bytes per row`,
    );
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
  return { instructions, program, tailBytes, maxRowBytes, utcOffsetMs };
}

const utf8 = new TextEncoder();

const NO_INSTRUCTION: Instruction = {
  conditions: 0,
  text: "",
  fieldConditions: 0,
  field: null,
  decimalMark: ".",
};

/** Space before the output of the core: TAIL_CAPACITY in assembly/memory.ts. */
const TAIL_CAPACITY = 128;

// Moves the text at the end of a row to the start of the next row, which saves one instruction per row.
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

// Converts parts to instructions. A text and the field after it become one instruction; consecutive texts are joined.
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
        // the same instruction writes the preceding text unconditionally
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
