import type { CommandModel, OptionModel, ProgramModel } from "./command-model.js";

/** Shells for which there are completions. */
export const SHELLS = ["bash", "zsh", "fish"] as const;

export type Shell = (typeof SHELLS)[number];

/** Writes a script with which a shell completes the commands, options and values of `asi`. */
export function completionScript(shell: Shell, program: ProgramModel): string {
  switch (shell) {
    case "bash":
      return bashScript(program);
    case "zsh":
      return zshScript(program);
    case "fish":
      return fishScript(program);
  }
}

const names = ({ short, long }: OptionModel) => (short === null ? [long] : [short, long]);

/** Returns the description up to its first detail. */
function brief(description: string): string {
  return (description.split(/[;:(]/)[0] ?? "").trim();
}

function bashScript({ options, commands }: ProgramModel): string {
  const words = [...commands.map(({ name }) => name), ...options.flatMap(names)];
  return `# bash completion for asi; written by: asi completion bash
_asi() {
  local cur=\${COMP_WORDS[COMP_CWORD]} prev=\${COMP_WORDS[COMP_CWORD - 1]} command= options= i
  for ((i = 1; i < COMP_CWORD; i++)); do
    case \${COMP_WORDS[i]} in
      -*) ;;
      *) command=\${COMP_WORDS[i]}; break ;;
    esac
  done
  COMPREPLY=()
  case $command in
    '')
      COMPREPLY=($(compgen -W '${words.join(" ")}' -- "$cur"))
      return
      ;;
${commands.map(bashCommand).join("")}  esac
  [[ $cur == -* ]] && COMPREPLY=($(compgen -W "$options" -- "$cur"))
}
complete -o bashdefault -o default -F _asi asi
`;
}

function bashCommand({ name, options, operands }: CommandModel): string {
  const cases = options.flatMap((option) => {
    const { value } = option;
    const pattern = names(option).join("|");
    if (value === "none" || value === "file") return [];
    if (value === "folder") return [`        ${pattern}) COMPREPLY=($(compgen -d -- "$cur")); return ;;\n`];
    // there is nothing to propose, not even files
    if (value === "text")
      return [`        ${pattern}) compopt +o bashdefault +o default 2>/dev/null; return ;;\n`];
    return [`        ${pattern}) COMPREPLY=($(compgen -W '${value.join(" ")}' -- "$cur")); return ;;\n`];
  });
  const chosen =
    operands === "files" ? "" : `      COMPREPLY=($(compgen -W '${operands.join(" ")}' -- "$cur"))\n`;
  const values = cases.length === 0 ? "" : `      case $prev in\n${cases.join("")}      esac\n`;
  return `    ${name})
      options='${options.flatMap(names).join(" ")}'
${chosen}${values}      ;;
`;
}

function zshScript({ options, commands }: ProgramModel): string {
  return `#compdef asi
# zsh completion for asi; written by: asi completion zsh
_asi() {
  local curcontext=$curcontext state line
  typeset -A opt_args
  local -a commands=(
${commands.map(({ name, summary }) => `    ${quoted(`${name}:${summary.replaceAll(":", "\\:")}`)}\n`).join("")}  )
  _arguments -C \\
${options.map((option) => `    ${zshOption(option)} \\\n`).join("")}    '1: :->command' \\
    '*:: :->operands'
  case $state in
    command) _describe command commands ;;
    operands)
      case $line[1] in
${commands.map(zshCommand).join("")}      esac
      ;;
  esac
}
if [[ $funcstack[1] == _asi ]]; then
  _asi "$@"
else
  compdef _asi asi
fi
`;
}

function zshCommand({ name, options, operands }: CommandModel): string {
  const action = operands === "files" ? "*:file:_files" : `*: :(${operands.join(" ")})`;
  return `        ${name})
          _arguments \\
${options.map((option) => `            ${zshOption(option)} \\\n`).join("")}            ${quoted(action)}
          ;;
`;
}

// Returns an option in the form '(-o --output)'{-o,--output}'[description]:value:_files'.
function zshOption(option: OptionModel): string {
  const { short, long, value } = option;
  const description = `[${brief(option.description).replace(/[[\]\\]/g, "\\$&")}]`;
  const action = {
    none: "",
    file: ":file:_files",
    folder: ":folder:_files -/",
    text: ":value: ",
  };
  const spec = description + (typeof value === "string" ? action[value] : `:value:(${value.join(" ")})`);
  return short === null ? quoted(long + spec) : `'(${short} ${long})'{${short},${long}}${quoted(spec)}`;
}

function fishScript({ options, commands }: ProgramModel): string {
  const line = (...parts: readonly string[]) =>
    `complete -c asi ${parts.filter((part) => part !== "").join(" ")}\n`;
  const first = "-n __fish_use_subcommand";
  const optionLine = (condition: string, { short, long, description, value }: OptionModel) => {
    const kinds = { none: "", file: "-r -F", folder: "-x -a '(__fish_complete_directories)'", text: "-x" };
    return line(
      condition,
      short === null ? "" : `-s ${short.slice(1)}`,
      `-l ${long.slice(2)}`,
      typeof value === "string" ? kinds[value] : `-x -a ${fishQuoted(value.join(" "))}`,
      `-d ${fishQuoted(brief(description))}`,
    );
  };
  return [
    "# fish completion for asi; written by: asi completion fish\n",
    ...options.map((option) => optionLine(first, option)),
    ...commands.map(({ name, summary }) => line(first, "-f", `-a ${name}`, `-d ${fishQuoted(summary)}`)),
    ...commands.flatMap(({ name, options, operands }) => {
      const condition = `-n '__fish_seen_subcommand_from ${name}'`;
      const chosen =
        operands === "files" ? [] : [line(condition, "-f", `-a ${fishQuoted(operands.join(" "))}`)];
      return [...chosen, ...options.map((option) => optionLine(condition, option))];
    }),
  ].join("");
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

function fishQuoted(text: string): string {
  return `'${text.replace(/[\\']/g, "\\$&")}'`;
}
