import { signal } from "@preact/signals";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import type { Workspace } from "../recording/workspace.js";
import { go, goInstead, type Route, route } from "../view/route.js";
import type { Settings } from "../view/settings.js";
import { SignInForm } from "./account/sign-in-form.js";
import { isAway } from "./connection.js";
import { accountName } from "./names.js";
import { Action, type Problem, ProblemOf } from "./parts/action.js";
import { Announcements } from "./parts/announcements.js";
import { Dialog, Questions } from "./parts/dialog.js";
import { lazily } from "./parts/lazily.js";
import { ProblemCard } from "./parts/problem.js";
import { mayLeave } from "./parts/unsaved.js";
import { type Account, addressLeft, Session } from "./session.js";
import { VIEWS } from "./views.js";
import "./app.css";

const session = new Session();

const Entrance = lazily(async () => (await import("./account/entrance.js")).Entrance);

export interface ShellProps {
  workspace: Workspace;
  settings: Settings;
}

const viewsOf = (account: Account) => VIEWS.filter(({ roles }) => roles.includes(account.role));

/** The errors of the button "Sign out". The button is in the header, and its errors appear above the view. */
const signOutProblem: Problem = signal(null);

/** Titles of the pages before sign-in. */
const TITLES: Record<string, string> = {
  "sign-in": "Sign in",
  register: "Register",
  "forgotten-password": "Forgotten password",
  "new-password": "Set a new password",
  "signed-in": "Sign in",
};

/** Width of the fade next to the active link. */
const FADE_PX = 20;

/** Scrolls the line of links without scrolling the page. On a narrow page the line is wider than the page. */
function scrollToActive(links: HTMLElement): void {
  const active = links.querySelector("[aria-current]")?.getBoundingClientRect();
  if (active === undefined) return;
  const { left, right } = links.getBoundingClientRect();
  const hiddenAtStart = Math.max(0, left + FADE_PX - active.left);
  const hiddenAtEnd = Math.max(0, active.right + FADE_PX - right);
  links.scrollLeft += hiddenAtEnd - hiddenAtStart;
}

/** The navigation of the signed-in user, in the header of every view, including the viewer. */
export function Navigation() {
  const account = session.account.value;
  const here = route.value?.path[0] ?? "";
  const list = useRef<HTMLUListElement>(null);
  useEffect(() => {
    // the error is cleared when the user continues
    signOutProblem.value = null;
    const links = list.current;
    if (links === null) return;
    // the observer calls back immediately, and when the width shrinks
    const observer = new ResizeObserver(() => scrollToActive(links));
    observer.observe(links);
    return () => observer.disconnect();
  }, [here, account]);
  if (account == null) return null;
  const links = [
    { path: "", title: "Viewer" },
    ...viewsOf(account).filter(({ isUnlisted }) => isUnlisted !== true),
  ];
  return (
    <nav aria-label="Views">
      <ul ref={list}>
        {links.map(({ path, title }) => (
          <li key={path}>
            <a href={`#/${path}`} aria-current={here === path ? "page" : undefined}>
              {title}
            </a>
          </li>
        ))}
      </ul>
      <Action
        class="quiet"
        problem={signOutProblem}
        failed="You could not be signed out."
        busy="Signing out…"
        question={mayLeave}
        work={async () => {
          await session.signOut();
          go("/");
          return "You are signed out.";
        }}
      >
        Sign out
      </Action>
    </nav>
  );
}

/** The part above every view, including the viewer. It contains messages about an unreachable service, questions, and announcements. */
export function Overlays() {
  const account = session.account.value;
  return (
    <>
      <div class="away" role="status">
        {isAway.value && account !== null ? <p>The service does not respond. Trying again…</p> : null}
      </div>
      {session.hasEnded.value && account != null ? (
        <Dialog title="Sign in again" onClose={() => session.leave()}>
          <p>Your session has ended. Sign in to continue where you were.</p>
          <SignInForm session={session} account={account} />
        </Dialog>
      ) : null}
      <ProblemOf problem={signOutProblem} />
      <Questions />
      <Announcements />
    </>
  );
}

/** The view of a route. */
export function RoutedView({ current, workspace, settings }: ShellProps & { current: Route }) {
  const account = session.account.value;
  const [path = "", ...params] = current.path;
  const entry = account == null ? undefined : viewsOf(account).find((view) => view.path === path);

  useLayoutEffect(() => {
    const title = entry?.title ?? TITLES[path];
    document.title = title === undefined ? "asi" : `${title} · asi`;
  }, [entry, path]);

  if (account === undefined) {
    const problem = session.problem.value;
    return problem == null ? null : (
      <ProblemCard
        title="Could not determine who is signed in."
        error={problem}
        retry={() => session.begin()}
      />
    );
  }
  // signed-in users may follow links from emails
  if (account === null || path === "new-password")
    return <Entrance client={session.client} session={session} current={current} />;
  if (entry === undefined) return <NoView path={path} account={account} />;
  const View = entry.view;
  return (
    <View
      key={`${account.id} ${path}`}
      client={session.client}
      session={session}
      account={account}
      params={params}
      query={current.query}
      go={go}
      workspace={workspace}
      settings={settings}
    />
  );
}

/** The page for a signed-in user at an address that the account cannot use. */
function NoView({ path, account }: { path: string; account: Account }) {
  const isArrival = path in TITLES;
  const first = viewsOf(account)[0]?.path ?? "";
  // This runs before the navigation is visible. Otherwise, it would replace an address that the user chooses there.
  useLayoutEffect(() => {
    const left = path === "signed-in" ? addressLeft() : null;
    if (isArrival) goInstead(left?.startsWith("#/") ? left.slice(1) : `/${first}`);
  }, [isArrival, first, path]);
  if (isArrival) return null;
  return (
    <div class="empty">
      <h1>There is nothing here</h1>
      <p>
        You are signed in as {accountName(account)}. Choose a view above, or <a href="#/">open the viewer</a>.
      </p>
    </div>
  );
}
