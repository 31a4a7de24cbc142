// The moments of a cluster, one of which is looked at.
import { Cluster } from "./cluster";
import { Disruptions, entryOf, laneOfGroup } from "./disruptions";
import { laneOf, type LaidEntry, type Lane } from "./lanes";
import type { Entry, Step, View } from "./shapes";
import type { Used } from "./usage";

// A page that stays open forgets what is older.
const STEPS_MAX = 20_000;
const ENTRIES_MAX = 50_000;
// How far the lanes and the top of the list go back for disruptions.
const DISRUPTIONS_S = 3600;

// A disruption says all that the scheduler's Event about it says.
export const laidOf = (entries: Entry[]): LaidEntry[] =>
  entries.filter(({ type }) => type !== "Preempted").map((entry) => ({ ...entry, lane: laneOf(entry) }));

const NOTHING: Used = new Map();

interface Known { number: number; atS: number; step: Step | null; back: Step | null; entriesEnd: number }

export class History {
  readonly cluster: Cluster;
  readonly entries: LaidEntry[];
  readonly disruptions: Disruptions;
  private known: Known[];
  // Which of the known moments the cluster is at.
  position = 0;
  // Whether it goes along with what is new.
  follows = true;
  // What nodes use, of which no past is known.
  measured: Used = new Map();

  constructor(public view: View) {
    this.cluster = new Cluster(view);
    this.entries = laidOf(view.entries);
    this.disruptions = new Disruptions(view.clock, view.disruptions);
    this.known = [{ ...view, step: null, back: null, entriesEnd: this.entries.length }];
  }

  get last() { return this.known.length - 1; }
  get number() { return this.known[this.last]!.number; }
  // Disruptions of long ago would leave the rest no place.
  get firstS() {
    const lostS = Math.max(this.disruptions.all[0]?.atS ?? Infinity, this.lastS - DISRUPTIONS_S);
    return Math.min(this.known[0]!.atS, this.entries[0]?.atS ?? Infinity, lostS);
  }
  get lastS() { return this.known[this.last]!.atS; }
  get atS() { return this.known[this.position]!.atS; }
  get entriesEnd() { return this.known[this.position]!.entriesEnd; }

  get used(): Used { return this.follows ? this.measured : NOTHING; }

  get disruptionsEnd() {
    return this.follows ? this.disruptions.all.length : this.disruptions.endAt((one) => one.atS <= this.atS);
  }

  // What has happened until then, the latest first; of all lanes, or of one.
  *latest(lane: Lane | ""): Iterable<LaidEntry> {
    const { entries, disruptions: { all } } = this;
    for (let [entry, lost] = [this.entriesEnd - 1, this.disruptionsEnd - 1]; entry >= 0 || lost >= 0; ) {
      if (lost >= 0 && (entry < 0 || all[lost]!.atS >= entries[entry]!.atS)) {
        const one = all[lost--]!;
        if (!lane || laneOfGroup(one.group) === lane) yield entryOf(one);
      } else {
        const one = entries[entry--]!;
        if (one.text && (!lane || one.lane === lane)) yield one;
      }
    }
  }

  // The disruptions until then of the hour before, the latest first.
  *disruptedLately(): Iterable<LaidEntry> {
    const { all } = this.disruptions;
    for (let at = this.disruptionsEnd - 1; at >= 0 && all[at]!.atS >= this.atS - DISRUPTIONS_S; at--) yield entryOf(all[at]!);
  }

  add(step: Step) {
    if (step.number <= this.number) return;
    if (step.priorityClasses) this.view = { ...this.view, priorityClasses: step.priorityClasses };
    this.entries.push(...laidOf(step.entries));
    this.disruptions.put(step.disruptions);
    const { number, atS } = step;
    this.known.push({ number, atS, step, back: null, entriesEnd: this.entries.length });
    if (this.follows) this.go(this.last);
    if (this.known.length > STEPS_MAX && this.position > STEPS_MAX / 2) this.forget();
  }

  // Goes to a moment, step by step.
  go(position: number) {
    const aim = Math.max(0, Math.min(position, this.last));
    while (this.position < aim) {
      const next = this.known[++this.position]!;
      next.back = this.cluster.apply(next.step!);
    }
    while (this.position > aim) this.cluster.apply(this.known[this.position--]!.back!);
    this.follows = aim === this.last;
  }

  // Goes to the last moment that isn't after a time.
  goTo(atS: number) {
    let low = 0, high = this.last;
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if (this.known[middle]!.atS <= atS) low = middle;
      else high = middle - 1;
    }
    this.go(low);
  }

  private forget() {
    const steps = STEPS_MAX / 4;
    const entries = Math.max(0, this.entries.length - ENTRIES_MAX);
    this.known = this.known.slice(steps);
    this.known[0]!.back = null;
    this.position -= steps;
    this.entries.splice(0, entries);
    for (const one of this.known) one.entriesEnd = Math.max(0, one.entriesEnd - entries);
  }
}
