import { addressOf, type DocumentedCall } from "./documented-call.js";
import { shellWord } from "./literals.js";

/** Returns an example for a POSIX shell. */
export function curlSample(call: DocumentedCall): string {
  const { method, body, response } = call;
  const options: string[] = [];
  const isByItself = method === "GET" || (method === "POST" && body !== null);
  if (!isByItself) options.push(`--request ${method}`);
  if (call.isAuthenticated) options.push('--header "Authorization: Bearer $ASI_TOKEN"');
  if (call.isOfPage) options.push("--header 'X-Asi-Page: 1'", "--cookie-jar cookies.txt");
  let before = "";
  switch (body?.kind) {
    case "json":
      options.push("--header 'Content-Type: application/json'");
      options.push(`--data ${shellWord(JSON.stringify(body.value, null, 2))}`);
      break;
    case "form":
      for (const [name, value] of body.fields) {
        options.push(`--data-urlencode ${shellWord(`${name}=${value}`)}`);
      }
      break;
    case "files":
      for (const [name, file] of body.files) options.push(`--form ${shellWord(`${name}=@${file}`)}`);
      break;
    case "csv":
      options.push("--header 'Content-Type: text/csv'", `--data-binary @${body.file}`);
      break;
    case "recording":
      options.push("--header 'Content-Type: application/octet-stream'", `--data-binary @${body.file}`);
      break;
    case "base64": {
      const [open, close] = [`{${JSON.stringify(body.member)}:"`, '"}'].map((text) => shellWord(text));
      before = `{ printf ${open}; base64 < ${body.file} | tr -d '\\n'; printf ${close}; } |\n`;
      options.push("--header 'Content-Type: application/json'", "--data-binary @-");
      break;
    }
  }
  if (response.kind === "file") options.push(`--output ${response.name}`);
  if (response.kind === "events") options.push("--no-buffer");
  return `${before}${[`curl ${shellWord(addressOf(call))}`, ...options].join(" \\\n  ")}\n`;
}
