export const SMALL: { minifyWhitespace: boolean; minifySyntax: boolean; lineLimit: number };
