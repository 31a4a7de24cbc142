// The way to the server: requests with a token, and a stream of changes that finds itself again.
import type { Step, View } from "./shapes";

const SILENCE_MAX_MS = 40_000;
const WAITS_MS = [500, 1000, 2000, 4000];
const KEY = "podium-token";

export class Refused extends Error {
  constructor(readonly status: number, message: string) { super(message); }
}

const NO_ANSWER = "The server doesn't answer. It may have been stopped, or can't be reached from here.";

// The token comes in the link's fragment, which no server sees, and leaves the address bar at once.
export function tokenOfLink(): string {
  const found = /^#token=([^&]*)/.exec(location.hash);
  if (found) {
    sessionStorage.setItem(KEY, decodeURIComponent(found[1]!));
    window.history.replaceState(null, "", location.pathname + location.search);
  }
  return sessionStorage.getItem(KEY) ?? "";
}

// Signs in with a token, or with a link that has one.
export function signIn(linkOrToken: string) {
  sessionStorage.setItem(KEY, decodeURIComponent(linkOrToken.trim().replace(/^.*#token=/, "")));
  location.reload();
}

export async function request(path: string, options: RequestInit & { token?: string } = {}) {
  const { token = tokenOfLink(), ...rest } = options;
  const headers = new Headers(rest.headers);
  headers.set("Authorization", `Bearer ${token}`);
  const response = await fetch(`api/${path}`, { ...rest, headers, cache: "no-store" }).catch((error) => {
    // What browsers say of a server that isn't there tells nobody anything.
    throw error instanceof TypeError ? new Error(NO_ANSWER) : error;
  });
  if (!response.ok) throw new Refused(response.status, await refusal(response));
  return response;
}

export async function get<T>(path: string): Promise<T> { return (await request(path)).json(); }

export async function post<T>(path: string, body: string, token?: string): Promise<T> {
  const headers = { "Content-Type": "application/yaml" };
  return (await request(path, { method: "POST", body, headers, token })).json();
}

async function refusal(response: Response): Promise<string> {
  const text = await response.text();
  try {
    return JSON.parse(text).message || text;
  } catch {
    return text || response.statusText;
  }
}

export interface Listener {
  begin(view: View): void;
  steps(steps: Step[]): void;
  connected(): void;
  ended(): void;
  lost(why: string): void;
  refused(): void;
}

// Fetches the beginning, then follows the changes until the page goes; a finished run has an end.
export async function follow(listener: Listener): Promise<void> {
  let number: number | null = null;
  let live = true;
  for (let failures = 0; ; ) {
    try {
      if (number === null) {
        const view = await get<View>("beginning");
        ({ number, live } = view);
        listener.begin(view);
      }
      const again = await read(number, (steps) => {
        failures = 0;
        number = steps[steps.length - 1]!.number;
        listener.steps(steps);
      }, () => { failures = 0; listener.connected(); });
      if (again) number = null;
      else if (!live) return listener.ended();
      else throw new Error("The server has closed the connection.");
    } catch (error) {
      const { status } = error as Refused;
      if (status === 401 || status === 403) return listener.refused();
      if (status === 410 || status === 404) number = null;
      // A stream that breaks off is a server that has gone.
      listener.lost(error instanceof TypeError ? NO_ANSWER : String((error as Error).message));
      await waitOrOnline(WAITS_MS[Math.min(failures++, WAITS_MS.length - 1)]!);
    }
  }
}

// Reads the stream to its end; true if the server asks for a new beginning.
async function read(after: number, onSteps: (steps: Step[]) => void, onOpen: () => void) {
  const abort = new AbortController();
  let watchdog = 0;
  const alive = () => {
    clearTimeout(watchdog);
    watchdog = setTimeout(() => abort.abort(new Error("The server is silent.")), SILENCE_MAX_MS);
  };
  try {
    alive();
    const response = await request(`changes?after=${after}`, { signal: abort.signal });
    onOpen();
    const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
    let rest = "";
    for (;;) {
      const { done, value } = await reader.read();
      alive();
      if (done) return false;
      const events = (rest + value).replaceAll("\r\n", "\n").split("\n\n");
      rest = events.pop()!;
      const steps = events.map(dataOf).filter((data) => data !== "");
      if (steps.length) onSteps(steps.map((data) => JSON.parse(data) as Step));
      if (events.some((one) => /^event: again$/m.test(one))) return true;
    }
  } finally {
    clearTimeout(watchdog);
    abort.abort();
  }
}

function dataOf(event: string): string {
  if (/^event: again$/m.test(event)) return "";
  const lines = event.split("\n").filter((line) => line.startsWith("data:"));
  return lines.map((line) => line.slice(5)).join("\n");
}

function waitOrOnline(ms: number): Promise<void> {
  return new Promise((done) => {
    setTimeout(done, ms);
    addEventListener("online", () => done(), { once: true });
  });
}
