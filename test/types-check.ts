import ts from "typescript";

// Parsed library files of TypeScript, which are the same for each program and take most of the time.
const libraries = new Map<string, ts.SourceFile | undefined>();

/** The compiler's errors in a file and its imports. `options` as in a tsconfig.json. */
export function errorsOfTypes(file: string, options: Record<string, unknown>): string[] {
  const converted = ts.convertCompilerOptionsFromJson(options, ".");
  const host = ts.createCompilerHost(converted.options);
  const { getSourceFile } = host;
  host.getSourceFile = (name, ...rest) => {
    if (!/[\\/]typescript[\\/]lib[\\/]/.test(name)) return getSourceFile(name, ...rest);
    if (!libraries.has(name)) libraries.set(name, getSourceFile(name, ...rest));
    return libraries.get(name);
  };
  const diagnostics = ts.getPreEmitDiagnostics(ts.createProgram([file], converted.options, host));
  return [...converted.errors, ...diagnostics].map(
    ({ file, messageText }) =>
      `${file?.fileName ?? ""}: ${ts.flattenDiagnosticMessageText(messageText, " ")}`,
  );
}
