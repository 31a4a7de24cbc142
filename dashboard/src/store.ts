// What the page knows, and who draws it anew when it changes.
import { useLayoutEffect, useReducer } from "preact/hooks";
import { follow } from "./connection";
import { History } from "./history";
import type { Step, View } from "./shapes";

export interface Connection { state: "connecting" | "live" | "finished" | "lost" | "refused"; why: string }

const FRAME_MAX_MS = 250;

class Store {
  history: History | null = null;
  connection: Connection = { state: "connecting", why: "" };
  // Counts the changes of the cluster that is shown; pictures compare it.
  version = 0;
  private readonly watchers = new Set<() => void>();
  private isScheduled = false;

  watch(watcher: () => void): () => void {
    this.watchers.add(watcher);
    return () => this.watchers.delete(watcher);
  }

  // Has everything drawn in the next frame, however much changes before it.
  changed() {
    if (this.isScheduled) return;
    this.isScheduled = true;
    const draw = () => {
      if (!this.isScheduled) return;
      this.isScheduled = false;
      for (const watcher of this.watchers) watcher();
    };
    requestAnimationFrame(draw);
    // Browsers make no frames of pages that nobody sees.
    setTimeout(draw, FRAME_MAX_MS);
  }

  goTo(atS: number) { this.history?.goTo(atS); this.moved(); }
  go(position: number) { this.history?.go(position); this.moved(); }
  private moved() { this.version++; this.changed(); }

  start() {
    const set = (state: Connection["state"], why = "") => {
      this.connection = { state, why };
      this.changed();
    };
    const live = () => (this.history?.view.live ? "live" : "finished");
    return follow({
      begin: (view: View) => {
        const history = (this.history = new History(view));
        this.moved();
        void history.disruptions.fetch(() => this.history === history, () => this.moved());
      },
      steps: (steps: Step[]) => { for (const step of steps) this.history?.add(step); this.moved(); },
      connected: () => set(live()),
      ended: () => set("finished"),
      lost: (why) => set("lost", why),
      refused: () => set("refused"),
    });
  }
}

export const store = new Store();

// A component that uses it is drawn anew with each change, from the moment it is drawn.
export function useStore(): Store {
  const [, draw] = useReducer((drawn: number) => drawn + 1, 0);
  useLayoutEffect(() => store.watch(() => draw(null)), []);
  return store;
}
