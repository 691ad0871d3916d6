import type { Browser, BrowserContext, BrowserContextOptions, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, expect, inject } from "vitest";
import { findBrowser } from "./find-browser.js";
import { launchBrowser } from "./launch.js";

export const address = inject("pageAddress");
const found = findBrowser();
/** The condition for `describe.skipIf`. */
export const hasNoBrowser = found === null;

/** The one browser for all files of a worker. It ends with the worker. A browser shared by all workers would need a slower connection. */
let launched: Promise<Browser> | undefined;
let browser: Browser;
let open: Page[] = [];
let complaints: string[] = [];
let expectedComplaints: RegExp[] = [];
const origins = new Set([new URL(address).origin]);
let requests: string[] = [];

/** Provides the browser to the tests of a file. After each test, it fails on errors that no page may cause. */
export function useBrowser(): void {
  beforeAll(async () => {
    if (found === null) return;
    launched ??= launchBrowser(found, inject("browserFolder"));
    browser = await launched;
  });
  afterEach(async ({ task }) => {
    if (task.result?.state === "fail") for (const page of open) console.error(await whatIsShown(page));
    await Promise.all(open.map((page) => page.context().close()));
    const unexpected = complaints.filter((text) => !expectedComplaints.some((pattern) => pattern.test(text)));
    const seen = { complaints: unexpected, requests: requests.filter((url) => !isOwn(url)) };
    open = [];
    complaints = [];
    expectedComplaints = [];
    requests = [];
    expect(seen).toEqual({ complaints: [], requests: [] });
  });
}

/** Returns the address, the values of the fields and the text of a page, for messages of failed tests. */
async function whatIsShown(page: Page): Promise<string> {
  const fields = await page
    .locator("input:visible")
    .evaluateAll((inputs) => (inputs as HTMLInputElement[]).map(({ name, value }) => `${name}=${value}`));
  return [page.url(), ...fields, await page.locator("body").innerText()].join("\n").slice(0, 3_000);
}

const isOwn = (url: string) => /^(blob|data|file):/.test(url) || origins.has(new URL(url).origin);

/** Permits, until the end of the test, an error message of the browser that a test causes on purpose, such as a refused request. */
export function expectComplaint(pattern: RegExp): void {
  expectedComplaints.push(pattern);
}

/** Time limit of an action, ms. It is less than the time limit of a test, so the error names the click that fails. */
const PATIENCE_MS = 100_000;

/** The message of a browser window that stores nothing. */
const KEEPS_NOTHING = "Service Worker registration blocked by Playwright";

interface Opened extends BrowserContextOptions {
  /** If it is "allow", the page stores itself for use without a network. That takes as long as opening the page. */
  serviceWorkers?: "allow" | "block";
  hash?: string;
  /** The address to open. By default, it is the built page. */
  at?: string;
  /** Origins that the page may use in addition to its own. */
  allowed?: string[];
  /** Expected error messages of the browser. */
  expected?: RegExp[];
  /** Prepares the window before a page is opened in it. */
  prepare?: (context: BrowserContext) => Promise<void>;
}

/** Opens the built page in a new window. */
export async function openPage({
  hash = "",
  at = address,
  allowed = [],
  expected = [],
  prepare,
  ...options
}: Opened = {}): Promise<Page> {
  for (const own of [at, ...allowed]) origins.add(new URL(own).origin);
  for (const pattern of expected) expectComplaint(pattern);
  const context = await browser.newContext({
    viewport: { width: 1440, height: 900 },
    locale: "en-GB",
    timezoneId: "Europe/Zurich",
    serviceWorkers: "block",
    ...options,
  });
  context.setDefaultTimeout(PATIENCE_MS);
  context.on("request", (request) => requests.push(request.url()));
  await prepare?.(context);
  const page = await context.newPage();
  await slowDown(page);
  open.push(page);
  return show(page, at + hash);
}

/**
 * Opens a page for several tests. The first test that uses the page opens it, and it closes after the last one. Each test leaves it usable
 * by the others, in any order. After a failed test, the next one opens a new page. Call this after `useBrowser`.
 */
export function sharedPage(openFirst: () => Promise<Page>): () => Promise<Page> {
  let shared: Page | undefined;
  afterEach(({ task }) => {
    // a failed test shows and closes its pages
    if (task.result?.state === "fail") shared = undefined;
    else open = open.filter((page) => page.context() !== shared?.context());
  });
  afterAll(() => shared?.context().close());
  return async () => {
    if (shared === undefined) shared = await openFirst();
    else open.push(shared);
    return shared;
  };
}

/** Opens a second tab beside a page, with the same cookies and the same storage. */
export async function openBeside(page: Page, at: string): Promise<Page> {
  const tab = await page.context().newPage();
  await slowDown(tab);
  open.push(tab);
  return show(tab, at);
}

/**
 * Slows down the page: `TEST_PAGE_SLOWDOWN=8 npm test` runs its scripts eight times as slowly. This finds tests that do not wait for the
 * page.
 */
async function slowDown(page: Page): Promise<void> {
  const rate = Number(process.env.TEST_PAGE_SLOWDOWN ?? 1);
  if (rate === 1) return;
  const devTools = await page.context().newCDPSession(page);
  await devTools.send("Emulation.setCPUThrottlingRate", { rate });
}

async function show(page: Page, at: string): Promise<Page> {
  page.on("console", (message) => {
    if (!["error", "warning"].includes(message.type()) || message.text() === KEEPS_NOTHING) return;
    complaints.push(message.text());
  });
  page.on("pageerror", (error) => complaints.push(String(error)));
  await page.goto(at);
  await page.waitForSelector("main, .problem");
  return page;
}

type Files = Parameters<Page["setInputFiles"]>[1];

/** Selects files as a user does, and waits until they are shown or refused. */
export async function choose(page: Page, files: Files): Promise<void> {
  await page.setInputFiles("input[type=file] >> nth=0", files);
  await page.waitForFunction(() => document.querySelector(".cards, .comparison, .problem") !== null);
}

/** Returns the text of a summary card. */
export function card(page: Page, name: string): Promise<string> {
  return page
    .locator(".card", { has: page.getByText(name, { exact: true }) })
    .locator("dd")
    .innerText();
}
