import type { Picture, Point, Shape } from "./shapes.js";

const FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif";

/** Coordinates are rounded to tenths of a pixel. */
const TENTHS = 10;

/** Writes a picture as SVG 1.1. */
export function toSvg({ width, height, title, shapes }: Picture): string {
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" font-family="${FONT}">`,
    `<title>${escaped(title)}</title>`,
    ...shapes.map(elementOf),
    "</svg>\n",
  ].join("\n");
}

function elementOf(shape: Shape): string {
  switch (shape.kind) {
    case "lines": {
      const path = shape.lines.map(pathOf).join("");
      return `<path transform="scale(${1 / TENTHS})" fill="none" stroke="${shape.color}" stroke-width="${shape.width * TENTHS}" stroke-linejoin="round" stroke-linecap="round" d="${path}"/>`;
    }
    case "box": {
      const { x, y, width, height, fill, radius = 0 } = shape;
      const rounded = radius === 0 ? "" : ` rx="${radius}"`;
      return `<rect x="${number(x)}" y="${number(y)}" width="${number(width)}" height="${number(height)}"${rounded} fill="${fill}"/>`;
    }
    case "text": {
      const { x, y, text, size, color, anchor = "start", isBold = false } = shape;
      const weight = isBold ? ' font-weight="700"' : "";
      const aligned = anchor === "start" ? "" : ` text-anchor="${anchor}"`;
      return `<text x="${number(x)}" y="${number(y)}" font-size="${size}" fill="${color}"${weight}${aligned}>${escaped(text)}</text>`;
    }
  }
}

// Writes a path with relative coordinates, which are shorter than absolute ones.
function pathOf(points: readonly Point[]): string {
  let path = "";
  let [previousX, previousY] = [0, 0];
  points.forEach(({ x, y }, i) => {
    const [tenthsX, tenthsY] = [Math.round(x * TENTHS), Math.round(y * TENTHS)];
    const [dx, dy] = [tenthsX - previousX, tenthsY - previousY];
    if (i === 0) path = `M${tenthsX} ${tenthsY}`;
    else path += `${i === 1 ? "l" : dx < 0 ? "" : " "}${dx}${dy < 0 ? "" : " "}${dy}`;
    [previousX, previousY] = [tenthsX, tenthsY];
  });
  return path;
}

const number = (value: number) => Number(value.toFixed(2));

const NOT_IN_XML = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu;
const ENTITIES: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

/** Escapes a text for XML and HTML, and removes characters that XML does not allow. */
export function escaped(text: string): string {
  return text.replace(NOT_IN_XML, "\ufffd").replace(/[&<>"]/g, (character) => ENTITIES[character] ?? "");
}
