// The disruptions of pods, most of which are gone: all that the server keeps, fetched page by page.
import { get } from "./connection";
import type { LaidEntry } from "./lanes";
import type { Disruption } from "./shapes";

const AGAIN_MS = 3_000;

export class Disruptions {
  // By number; times are those of the cluster's clock.
  all: Disruption[] = [];
  // Whether all that the server keeps is here.
  isWhole = false;

  // Those up to a number are fetched; later ones come with steps.
  constructor(private readonly clock: string, private readonly fetched: number) {}

  // Whether there were some that the server doesn't keep any more.
  get isCut() { return this.isWhole && (this.all[0]?.number ?? 1) > 1; }

  // Adds new ones, and replaces those that have changed; what isn't fetched yet comes as it is then.
  put(disruptions: Disruption[]) {
    for (const one of disruptions.map((each) => this.timed(each))) {
      const last = this.all[this.all.length - 1]?.number ?? this.fetched;
      if (one.number > last) this.all.push(one);
      else {
        const at = this.endAt((known) => known.number < one.number);
        if (this.all[at]?.number === one.number) this.all[at] = one;
      }
    }
  }

  // Fetches what the server keeps, the latest first.
  async fetch(isWanted: () => boolean, changed: () => void) {
    for (let before = this.fetched + 1; ; ) {
      let page: Disruption[];
      try {
        page = before > 1 ? await get<Disruption[]>(`disruptions?before=${before}`) : [];
      } catch {
        await new Promise((done) => setTimeout(done, AGAIN_MS));
        if (isWanted()) continue;
        return;
      }
      if (!isWanted()) return;
      this.all = page.map((one) => this.timed(one)).concat(this.all);
      this.isWhole = !page.length;
      changed();
      if (this.isWhole) return;
      before = page[0]!.number;
    }
  }

  // How many come first of which something holds, if it holds of none after them.
  endAt(holds: (one: Disruption) => boolean): number {
    let low = 0, high = this.all.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (holds(this.all[middle]!)) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  // Those of which something holds, the latest first.
  filter(holds: (one: Disruption) => boolean): Disruption[] { return this.all.filter(holds).reverse(); }

  private timed(one: Disruption): Disruption {
    one.atS = Math.round(one.atS * 1000 - Date.parse(this.clock)) / 1000;
    return one;
  }
}

// A disruption as a line of the timeline.
export function entryOf({ atS, cause, group, clause, preemptor, pod }: Disruption): LaidEntry {
  return { atS, type: cause, kind: "Pod", namespace: pod.namespace, name: pod.name, by: "", text: clause,
    lane: laneOfGroup(group), preemptor };
}

export const laneOfGroup = (group: Disruption["group"]) => group === "preempted" ? "preempted" : "evicted";
