// What kinds of things happen, as the timeline has a line for each.
import type { Entry } from "./shapes";

export const LANES = ["bound", "preempted", "evicted", "tainted"] as const;
export type Lane = (typeof LANES)[number] | "other";

// Which lane of the timeline an entry belongs to.
export function laneOf(entry: Entry): Lane {
  if (/Bound/.test(entry.type)) return "bound";
  if (/Preempt/.test(entry.type) || /preempt/.test(entry.text)) return "preempted";
  if (/Evict/.test(entry.type) || /evict/.test(entry.text)) return "evicted";
  return /Taint|Cordon/.test(entry.type) ? "tainted" : "other";
}
