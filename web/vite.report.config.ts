import { createHash } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { defineConfig, type Plugin } from "vite";

/** Path of the template that the command reads. */
const TEMPLATE = fileURLToPath(new URL("../dist/report.html", import.meta.url));

/** Names of bundled packages, whose licences must be included. */
const BUNDLED = ["preact", "@preact/signals", "@preact/signals-core"];

async function licences(): Promise<string> {
  const texts = BUNDLED.map(async (name) => {
    const text = await readFile(new URL(`../node_modules/${name}/LICENSE`, import.meta.url), "utf8");
    return `${name}\n${text.trim()}`;
  });
  return `/*!\n${(await Promise.all(texts)).join("\n\n")}\n*/`;
}

/** Writes page, script and styles as one file. Its policy allows only this script and these styles, and no requests. */
const oneFile: Plugin = {
  name: "one-file",
  apply: "build",
  enforce: "post",
  async generateBundle(_options, bundle) {
    let html = "";
    let script = "";
    let styles = "";
    for (const [name, output] of Object.entries(bundle)) {
      if (output.type === "chunk") script += output.code;
      else if (name.endsWith(".html")) html = String(output.source);
      else if (name.endsWith(".css")) styles += String(output.source);
      delete bundle[name];
    }
    script = `${await licences()}\n${script}`;
    // within a script element, these sequences would end it or begin a comment
    script = script.replace(/<\/script/gi, "<\\/script").replace(/<!--/g, "\\x3c!--");
    const policy = [
      "default-src 'none'",
      `script-src '${hashOf(script)}'`,
      `style-src '${hashOf(styles)}'`,
      "img-src data: blob:",
      "base-uri 'none'",
      "form-action 'none'",
      "require-trusted-types-for 'script'",
    ].join("; ");
    html = html
      .replace(/\s*<script type="module"[^>]*><\/script>/g, "")
      .replace(/\s*<link rel="stylesheet"[^>]*>/g, "")
      .replace(
        "</head>",
        () =>
          `<meta http-equiv="Content-Security-Policy" content="${policy}" />\n<style>${styles}</style>\n</head>`,
      )
      .replace("</body>", () => `<script>${script}</script>\n</body>`);
    await writeFile(TEMPLATE, html);
  },
};

function hashOf(text: string): string {
  return `sha256-${createHash("sha256").update(text).digest("base64")}`;
}

/** The template of reports. It is a page in one file without a worker, because browsers start none from `file://`. */
export default defineConfig({
  // There are no other files. With a relative address, vite uses the address of the script, which an inline script does not have.
  base: "/",
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  plugins: [oneFile],
  build: {
    target: "es2022",
    outDir: "dist-report",
    write: false,
    cssCodeSplit: false,
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rolldownOptions: {
      checks: { pluginTimings: false },
      input: "report.html",
      output: { format: "iife", codeSplitting: false },
      onLog(level, log, show) {
        // vite's helper for dynamic imports uses its address only to preload files, and there are none
        if (log.code === "EMPTY_IMPORT_META" && log.message.includes("vite/preload-helper.js")) return;
        show(level, log);
      },
    },
  },
  publicDir: false,
});
