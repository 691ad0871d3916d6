/**
 * Content security policy of the page (Content Security Policy Level 3, Trusted Types). It is sent with every file, because the
 * policy of a worker's script determines whether WebAssembly runs in the worker. No file contains inline scripts, and scripts may
 * be set only through the page's own policy for its worker.
 */
export const PAGE_POLICY = [
  "default-src 'none'",
  "script-src 'self' 'wasm-unsafe-eval'",
  "worker-src 'self'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  "connect-src 'self'",
  "manifest-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types asi-worker",
].join("; ");
