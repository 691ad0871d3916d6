import type { Point } from "./shapes.js";

// Letters drawn with a pen, for pictures without a system font.

/** A glyph with its width and its strokes. */
interface Glyph {
  width: number;
  strokes: readonly (readonly Point[])[];
}

/** Height of capitals on the grid, and its share of the font size. */
const CAP_HEIGHT = 14;
const CAP_SHARE = 0.71;
/** Space between two glyphs, excluding the width of the pen. */
const SPACING = 1.7;
const SPACE_WIDTH = 2.6;

/**
 * Width and strokes of each glyph, on a grid with the baseline at 0, capitals up to 14, small letters up to 10, and descenders
 * down to -4. `M` moves the pen, `L` draws a line, `h` and `v` draw a quarter of an ellipse that begins horizontally or vertically,
 * `q` draws a quadratic curve by its control point and its end.
 */
const GLYPHS: Readonly<Record<string, readonly [width: number, strokes: string]>> = {
  "0": [8, "M0,4 L0,10 v4,14 h8,10 L8,4 v4,0 h0,4"],
  "1": [8, "M1.4,11.2 L5,14 L5,0"],
  "2": [8, "M0.3,10.4 v4,14 h7.7,10.4 q7.7,8.2 5.6,6 L0,0 L8,0"],
  "3": [8, "M0.4,11.2 v4,14 h7.6,10.8 v4,7.6 L2.8,7.6 M4,7.6 h8,3.8 v4,0 h0,3"],
  "4": [8, "M6,0 L6,14 L0,4 L8.2,4"],
  "5": [8, "M7.4,14 L1.2,14 L0.6,7.8 q2,9 4,9 h8,4.5 v4,0 h0,2.6"],
  "6": [8, "M7.3,12.4 q6.2,14 4.4,14 h0,7 L0,4.5 v4,0 h8,4.5 v4,8.8 h0,4.5"],
  "7": [8, "M0,14 L8,14 L3,0"],
  "8": [8, "M4,7.6 h0.5,10.8 v4,14 h7.5,10.8 v4,7.6 h8,3.8 v4,0 h0,3.8 v4,7.6"],
  "9": [8, "M0.7,1.6 q1.8,0 3.6,0 h8,7 L8,9.5 v4,14 h0,9.5 v4,5.2 h8,9.5"],
  A: [10, "M0,0 L5,14 L10,0 M1.6,4.5 L8.4,4.5"],
  B: [9, "M0,0 L0,14 L4.8,14 h8.2,10.8 v4.8,7.5 L0,7.5 M4.8,7.5 h9,3.8 v4.8,0 L0,0"],
  C: [9.6, "M9.6,11.2 q8.2,14 5.4,14 h0,7 v5.4,0 q8.2,0 9.6,2.8"],
  D: [9.8, "M0,0 L0,14 L3.6,14 h9.8,7 v3.6,0 L0,0"],
  E: [7.8, "M7.8,14 L0,14 L0,0 L7.8,0 M0,7.4 L6.8,7.4"],
  F: [7.6, "M7.6,14 L0,14 L0,0 M0,7 L6.6,7"],
  G: [10.4, "M10,11.2 q8.6,14 5.4,14 h0,7 v5.4,0 q8.8,0 10.4,2.4 L10.4,6.6 L6.2,6.6"],
  H: [9.4, "M0,0 L0,14 M9.4,0 L9.4,14 M0,7.4 L9.4,7.4"],
  I: [0, "M0,0 L0,14"],
  J: [6, "M6,14 L6,3.6 v3,0 h0,3"],
  K: [8.8, "M0,0 L0,14 M8.4,14 L0,5.4 M3.2,8.7 L8.8,0"],
  L: [7.2, "M0,14 L0,0 L7.2,0"],
  M: [11.6, "M0,0 L0,14 L5.8,3.5 L11.6,14 L11.6,0"],
  N: [9.6, "M0,0 L0,14 L9.6,0 L9.6,14"],
  O: [11, "M0,7 v5.5,14 h11,7 v5.5,0 h0,7"],
  P: [8.6, "M0,0 L0,14 L4.8,14 h8.6,10.2 v4.8,6.4 L0,6.4"],
  Q: [11, "M0,7 v5.5,14 h11,7 v5.5,0 h0,7 M7,3.4 L11,-0.8"],
  R: [9, "M0,0 L0,14 L4.8,14 h8.6,10.2 v4.8,6.4 L0,6.4 M4.8,6.4 L9,0"],
  S: [8.6, "M8,11.6 q6.8,14 4.3,14 h0.4,10.6 q0.4,8.3 4.3,7.4 q8.6,6.4 8.6,3.6 v4.3,0 q1.2,0 0,2.8"],
  T: [9, "M0,14 L9,14 M4.5,14 L4.5,0"],
  U: [9.4, "M0,14 L0,4.6 v4.7,0 h9.4,4.6 L9.4,14"],
  V: [10, "M0,14 L5,0 L10,14"],
  W: [14, "M0,14 L3.6,0 L7,12 L10.4,0 L14,14"],
  X: [9.2, "M0,14 L9.2,0 M9.2,14 L0,0"],
  Y: [9.2, "M0,14 L4.6,6.8 L9.2,14 M4.6,6.8 L4.6,0"],
  Z: [8.8, "M0,14 L8.8,14 L0,0 L8.8,0"],
  a: [7, "M0.6,8.4 q1.6,10 3.7,10 h7,6.8 L7,0 M7,6 L3.6,5.7 q0,5.4 0,2.8 q0,0 2.8,0 q5.6,0 7,2.6"],
  b: [7.8, "M0,14 L0,0 M0,5 v3.9,10 h7.8,5 v3.9,0 h0,5"],
  c: [6.8, "M6.8,8 q5.8,10 3.9,10 h0,5 v3.9,0 q5.8,0 6.8,2"],
  d: [7.8, "M7.8,14 L7.8,0 M7.8,5 v3.9,10 h0,5 v3.9,0 h7.8,5"],
  e: [7.6, "M0,5.4 L7.6,5.4 v3.9,10 h0,5 v4.1,0 q6.2,0 7.2,2"],
  f: [4.8, "M4.8,14 h1.7,11.4 L1.7,0 M0,9.7 L4.4,9.7"],
  g: [7.8, "M7.8,10 L7.8,-0.4 v3.9,-4 q1.6,-4 0.6,-2.6 M7.8,5 v3.9,10 h0,5 v3.9,0 h7.8,5"],
  h: [7.2, "M0,14 L0,0 M0,6 v3.7,10 h7.2,6 L7.2,0"],
  i: [0, "M0,10 L0,0 M0,13.5 L0,13.9"],
  j: [2, "M2,10 L2,-1.6 v0,-4 M2,13.5 L2,13.9"],
  k: [6.8, "M0,14 L0,0 M6.4,10 L0,3.8 M2.5,6.2 L6.8,0"],
  l: [0, "M0,14 L0,0"],
  m: [11.6, "M0,10 L0,0 M0,6.4 v3.1,10 h5.8,6.6 L5.8,0 M5.8,6.4 v8.9,10 h11.6,6.6 L11.6,0"],
  n: [7.2, "M0,10 L0,0 M0,6 v3.7,10 h7.2,6 L7.2,0"],
  o: [8, "M0,5 v4,10 h8,5 v4,0 h0,5"],
  p: [7.8, "M0,10 L0,-4 M0,5 v3.9,10 h7.8,5 v3.9,0 h0,5"],
  q: [7.8, "M7.8,10 L7.8,-4 M7.8,5 v3.9,10 h0,5 v3.9,0 h7.8,5"],
  r: [4.2, "M0,10 L0,0 M0,5.6 q0.4,10 4.2,9.8"],
  s: [6.4, "M6,8.4 q5.2,10 3.2,10 q0.4,10 0.4,7.6 q0.4,5.8 3.2,5.2 q6.4,4.6 6.4,2.5 q6.4,0 3.3,0 q1,0 0,1.9"],
  t: [4.6, "M1.7,13 L1.7,2.4 v3.8,0 L4.6,0 M0,9.8 L4.4,9.8"],
  u: [7.2, "M0,10 L0,4 v3.5,0 h7.2,4 M7.2,10 L7.2,0"],
  v: [7.4, "M0,10 L3.7,0 L7.4,10"],
  w: [10.8, "M0,10 L2.8,0 L5.4,9 L8,0 L10.8,10"],
  x: [7, "M0,10 L7,0 M7,10 L0,0"],
  y: [7.4, "M0,10 L3.8,0 M7.4,10 L3.2,-1.8 q2.4,-4 0.4,-4"],
  z: [6.6, "M0,10 L6.6,10 L0,0 L6.6,0"],
  ".": [0, "M0,0 L0,0.4"],
  ",": [0.6, "M0.6,0.6 L0,-2"],
  ":": [0, "M0,0 L0,0.4 M0,8.4 L0,8.8"],
  ";": [0.6, "M0.6,0.6 L0,-2 M0.6,8.4 L0.6,8.8"],
  "-": [4.4, "M0,5.4 L4.4,5.4"],
  "–": [7.6, "M0,5.4 L7.6,5.4"],
  _: [7.6, "M0,-2 L7.6,-2"],
  "/": [5.4, "M0,-1.6 L5.4,14.8"],
  "\\": [5.4, "M0,14.8 L5.4,-1.6"],
  "|": [0, "M0,-3 L0,15.5"],
  "%": [
    12.6,
    "M0,10.8 v2.7,14 h5.4,10.8 v2.7,7.6 h0,10.8 M7.2,3.2 v9.9,6.4 h12.6,3.2 v9.9,0 h7.2,3.2 M10.6,14 L2,0",
  ],
  "(": [3, "M3,16 q0,12.4 0,6.5 q0,0.6 3,-3"],
  ")": [3, "M0,16 q3,12.4 3,6.5 q3,0.6 0,-3"],
  "[": [3, "M3,15.5 L0,15.5 L0,-3 L3,-3"],
  "]": [3, "M0,15.5 L3,15.5 L3,-3 L0,-3"],
  "{": [4, "M4,15.5 q2,15.5 2,13 L2,9 q2,6.3 0,6.3 q2,6.3 2,3.6 L2,-0.5 q2,-3 4,-3"],
  "}": [4, "M0,15.5 q2,15.5 2,13 L2,9 q2,6.3 4,6.3 q2,6.3 2,3.6 L2,-0.5 q2,-3 0,-3"],
  "+": [8, "M0,6.2 L8,6.2 M4,10.2 L4,2.2"],
  "=": [8, "M0,8 L8,8 M0,4.4 L8,4.4"],
  "<": [7.6, "M7.6,10.4 L0,6.2 L7.6,2"],
  ">": [7.6, "M0,10.4 L7.6,6.2 L0,2"],
  "~": [8, "M0,5 q1.6,8.6 4,6.2 q6.4,3.8 8,7.4"],
  "^": [6, "M0,9 L3,13.6 L6,9"],
  "*": [6, "M3,14 L3,8.4 M0.4,12.6 L5.6,9.8 M5.6,12.6 L0.4,9.8"],
  "#": [9, "M2.4,0 L4,14 M5.6,0 L7.2,14 M0.4,9.4 L9,9.4 M0,4.8 L8.6,4.8"],
  "&": [
    9.6,
    "M9.6,0 L2.2,9.2 q1.2,10.8 1.6,11.8 q2.4,14 4.4,14 q7,14 7,11.4 q7,9.4 3.6,7.6 q0,5.8 0,3.4 v3.6,0 q7.4,0 9,6",
  ],
  "@": [
    13,
    "M9.4,8.2 q8.6,9.6 6.8,9.6 h3.6,6.2 v6.2,3.2 h9.4,6.4 L9.4,9.2 M9.4,6 q9.4,3.4 11,3.4 q13,3.6 13,7 q13,13.6 6.8,13.6 h0,6.2 q0,-1.4 6.6,-1.4 q8.8,-1.4 10.4,-0.4",
  ],
  $: [
    8.6,
    "M8,11.2 q6.8,13 4.3,13 h0.4,10.2 q0.4,8.2 4.3,7.2 q8.6,6.2 8.6,3.8 v4.3,0.8 q1.2,0.8 0,3 M4.3,15.6 L4.3,-1.8",
  ],
  "!": [0, "M0,14 L0,4.6 M0,0 L0,0.4"],
  "?": [6.8, "M0,11 v3.4,14 h6.8,10.8 q6.8,8.8 4.8,7.6 q3.4,6.6 3.4,4.4 M3.4,0 L3.4,0.4"],
  "'": [0, "M0,14 L0,10.4"],
  '"': [3, "M0,14 L0,10.4 M3,14 L3,10.4"],
  "`": [2.4, "M0,14.4 L2.4,12"],
  "·": [0, "M0,5.2 L0,5.6"],
  "…": [8.4, "M0,0 L0,0.4 M4.2,0 L4.2,0.4 M8.4,0 L8.4,0.4"],
  "²": [4.2, "M0,12.2 v2.1,14 h4.2,12 q4.2,11 3,10 L0,7.6 L4.4,7.6"],
  "°": [4, "M0,12 v2,14 h4,12 v2,10 h0,12"],
  ß: [7.4, "M0,0 L0,10.4 v3.4,14 h6.6,11 q6.6,8.6 3.8,8 L2.8,8 M3.8,8 h7.4,3.8 v3.6,0 L2.6,0"],
  ł: [2, "M1,14 L1,0 M-0.8,5.4 L2.8,8.4"],
  Ł: [8, "M0.8,14 L0.8,0 L8,0 M-1,5 L5,9"],
  đ: [7.8, "M7.8,14 L7.8,0 M7.8,5 v3.9,10 h0,5 v3.9,0 h7.8,5 M4,12 L9.6,12"],
  Đ: [9.8, "M0,0 L0,14 L3.6,14 h9.8,7 v3.6,0 L0,0 M-1.6,7.4 L4,7.4"],
  ø: [8, "M0,5 v4,10 h8,5 v4,0 h0,5 M0.4,-0.8 L7.6,10.8"],
  Ø: [11, "M0,7 v5.5,14 h11,7 v5.5,0 h0,7 M1,-0.8 L10,14.8"],
  æ: [
    12,
    "M0.6,8.4 q1.6,10 3.4,10 h6,6.8 L6,3.6 q5.6,0 2.8,0 q0,0 0,2.8 q0,5.4 6,5.4 L12,5.4 v9,10 h6,6.6 M6,3.6 q6.4,0 9.4,0 q11,0 12,1.8",
  ],
};

/** Marks above and below letters, centred on the letter. The height of marks above letters is for small letters. */
const MARKS: Readonly<Record<string, string>> = {
  "\u0300": "M-1.6,14.2 L0.8,12.2",
  "\u0301": "M-0.8,12.2 L1.6,14.2",
  "\u0302": "M-2.2,12.2 L0,14.2 L2.2,12.2",
  "\u0303": "M-2.6,12.4 q-1.4,14.6 0,13.2 q1.4,11.8 2.6,14",
  "\u0304": "M-2.4,13 L2.4,13",
  "\u0306": "M-2.2,14.2 q0,10.8 2.2,14.2",
  "\u0307": "M0,13.2 L0,13.6",
  "\u0308": "M-2.1,13.2 L-2.1,13.6 M2.1,13.2 L2.1,13.6",
  "\u030a": "M-1.6,13.4 v0,15 h1.6,13.4 v0,11.8 h-1.6,13.4",
  "\u030b": "M-2.4,12.2 L-0.8,14.2 M0.6,12.2 L2.2,14.2",
  "\u030c": "M-2.2,14.2 L0,12.2 L2.2,14.2",
  "\u0327": "M0,0 L0,-1.2 q2,-1.6 1.8,-2.6 q1.4,-4 -1.2,-3.6",
  "\u0328": "M1,0 q-1.4,-2.8 0.4,-3.6 q1.4,-4 2.2,-3.2",
};
/** The additional height of marks above capitals. */
const CAPITAL_RISE = 3.6;

/** The glyph for unsupported characters. */
const UNKNOWN: readonly [number, string] = [7, "M0,0 L0,14 L7,14 L7,0 L0,0"];
/** Number of line segments in a curve. */
const STEPS = 8;

const parsed = new Map<string, Glyph>();

export interface DrawnText {
  /** Points in pixels, from the start of the baseline. */
  strokes: readonly (readonly Point[])[];
  width: number;
}

/** Draws a single line of text. `size` is the font size in pixels, as in CSS, and `pen` the width of the strokes in pixels. */
export function drawnText(text: string, size: number, pen: number): DrawnText {
  const unit = (CAP_SHARE * size) / CAP_HEIGHT;
  const spacing = SPACING + pen / unit;
  const strokes: Point[][] = [];
  let x = 0;
  let last: { start: number; width: number; isCapital: boolean } | null = null;
  const draw = (shape: Glyph["strokes"], left: number, rise: number) => {
    for (const stroke of shape) {
      strokes.push(stroke.map((point) => ({ x: (left + point.x) * unit, y: -(rise + point.y) * unit })));
    }
  };
  // decomposes an accented letter into the letter and its accent
  for (const character of text.normalize("NFD")) {
    const mark = MARKS[character];
    if (mark !== undefined && last !== null) {
      const isBelow = character === "\u0327" || character === "\u0328";
      draw(
        glyphOf(0, mark).strokes,
        last.start + last.width / 2,
        last.isCapital && !isBelow ? CAPITAL_RISE : 0,
      );
    } else if (/^\s$/u.test(character)) {
      x += SPACE_WIDTH + spacing;
      last = null;
    } else {
      const { width, strokes: shape } = glyphOf(...(GLYPHS[character] ?? UNKNOWN));
      draw(shape, x, 0);
      last = { start: x, width, isCapital: character !== character.toLowerCase() };
      x += width + spacing;
    }
  }
  return { strokes, width: Math.max(0, x - spacing) * unit };
}

function glyphOf(width: number, strokes: string): Glyph {
  let glyph = parsed.get(strokes);
  if (glyph === undefined) {
    glyph = { width, strokes: pathOf(strokes) };
    parsed.set(strokes, glyph);
  }
  return glyph;
}

function pathOf(path: string): Point[][] {
  const strokes: Point[][] = [];
  const points = [...path.matchAll(/([MLhvq]?)(-?[\d.]+),(-?[\d.]+)/g)].map(([, command, x, y]) => ({
    command: command ?? "",
    at: { x: Number(x), y: Number(y) },
  }));
  let here: Point = { x: 0, y: 0 };
  for (let i = 0; i < points.length; i++) {
    const { command, at } = points[i] ?? { command: "L", at: here };
    let end = at;
    if (command === "M") strokes.push([at]);
    else if (command === "L") strokes.at(-1)?.push(at);
    else if (command === "q") {
      i += 1;
      end = points[i]?.at ?? at;
      strokes.at(-1)?.push(...quadratic(here, at, end));
    } else {
      strokes.at(-1)?.push(...quarter(here, at, command === "h"));
    }
    here = end;
  }
  return strokes;
}

function quadratic(from: Point, control: Point, to: Point): Point[] {
  return Array.from({ length: STEPS }, (_, i) => {
    const t = (i + 1) / STEPS;
    const [a, b, c] = [(1 - t) ** 2, 2 * t * (1 - t), t ** 2];
    return { x: a * from.x + b * control.x + c * to.x, y: a * from.y + b * control.y + c * to.y };
  });
}

/** Returns the points of a quarter of an ellipse with horizontal and vertical axes. */
function quarter(from: Point, to: Point, isHorizontalFirst: boolean): Point[] {
  return Array.from({ length: STEPS }, (_, i) => {
    const angle = ((i + 1) / STEPS) * (Math.PI / 2);
    const [early, late] = [Math.sin(angle), 1 - Math.cos(angle)];
    const [x, y] = isHorizontalFirst ? [early, late] : [late, early];
    return { x: from.x + (to.x - from.x) * x, y: from.y + (to.y - from.y) * y };
  });
}
