/** Literals in the languages of the examples. */

interface Language {
  scalar(value: unknown): string;
  key(name: string): string;
}

const LINE_LENGTH = 88;

/** Returns any text as a literal. `JSON.stringify` does not escape line separators, which tools of Python treat as line ends. */
const quoted = (text: string) =>
  JSON.stringify(text).replace(
    /[\u007f-\u009f\u2028\u2029]/g,
    (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );

const IDENTIFIER = /^[A-Za-z_$][\w$]*$/;

const TYPESCRIPT: Language = {
  scalar: (value) => (typeof value === "string" ? quoted(value) : JSON.stringify(value)),
  // A literal with this key, unquoted or quoted, would set the prototype.
  key: (name) => (name === "__proto__" ? '["__proto__"]' : IDENTIFIER.test(name) ? name : quoted(name)),
};

const PYTHON: Language = {
  scalar: (value) =>
    value === null ? "None" : value === true ? "True" : value === false ? "False" : TYPESCRIPT.scalar(value),
  key: quoted,
};

/** Returns the code for a value. An object on one line has inner spaces in TypeScript, but not in Python. */
function written(value: unknown, language: Language, indent: number, column: number): string {
  const isArray = Array.isArray(value);
  if (!isArray && (typeof value !== "object" || value === null)) return language.scalar(value);
  const [open, close] = isArray ? "[]" : "{}";
  const space = !isArray && language === TYPESCRIPT ? " " : "";
  const members = isArray
    ? value.map((member) => ["", member] as const)
    : Object.entries(value).map(([name, member]) => [`${language.key(name)}: `, member] as const);
  if (members.length === 0) return `${open}${close}`;
  const line = members.map(([key, member]) => key + written(member, language, indent, -1e6)).join(", ");
  const short = `${open}${space}${line}${space}${close}`;
  if (column + short.length <= LINE_LENGTH) return short;
  const width = language === PYTHON ? 4 : 2;
  const inner = indent + width;
  const lines = members.map(
    ([key, member]) =>
      `${" ".repeat(inner)}${key}${written(member, language, inner, inner + key.length + 1)},`,
  );
  return `${open}\n${lines.join("\n")}\n${" ".repeat(indent)}${close}`;
}

/**
 * @param indent indentation of the line in which the literal begins
 * @param column column at which it begins
 */
export const typescriptLiteral = (value: unknown, indent = 0, column = indent): string =>
  written(value, TYPESCRIPT, indent, column);

/** Takes the same arguments as `typescriptLiteral`. */
export const pythonLiteral = (value: unknown, indent = 0, column = indent): string =>
  written(value, PYTHON, indent, column);

/** Returns any text as one word of a POSIX shell: characters in single quotes have no special meaning. */
export const shellWord = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
