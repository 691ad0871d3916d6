import { inLongForm } from "../../test/long-form.js";

export interface Look {
  width: number;
  colorScheme: "light" | "dark";
}

/** The widths and themes of the tests of views. `npm test` uses the default ones, `npm run test:more` the others. */
export const LOOKS: readonly Look[] = inLongForm(
  [
    // this width equals 1280 pixels at 400 %
    { width: 320, colorScheme: "dark" },
    { width: 768, colorScheme: "light" },
  ],
  [{ width: 1440, colorScheme: "light" }],
);

export const nameOf = ({ width, colorScheme }: Look) => `${width} pixels wide, in the ${colorScheme} theme`;

export const optionsOf = ({ width, colorScheme }: Look) => ({
  viewport: { width, height: 800 },
  colorScheme,
  reducedMotion: "reduce" as const,
});
