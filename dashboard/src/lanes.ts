// What kinds of things happen, as the timeline has a line for each.
import type { Entry } from "./shapes";

export const LANES = ["bound", "preempted", "evicted", "tainted"] as const;
export type Lane = (typeof LANES)[number] | "other";

export interface LaidEntry extends Entry { lane: Lane; preemptor?: string }

// Which lane of the timeline an entry belongs to; disruptions know theirs.
export function laneOf({ type, lane }: Entry & Partial<LaidEntry>): Lane {
  if (lane) return lane;
  if (/Bound$/.test(type)) return "bound";
  if (/Evict/.test(type)) return "evicted";
  return /Taint|Cordon/.test(type) ? "tainted" : "other";
}
