// What kinds of things happen, as the timeline has a line for each.
import type { Entry } from "./shapes";

export const LANES = ["bound", "preempted", "evicted", "tainted"] as const;
export type Lane = (typeof LANES)[number] | "other";

// Which lane of the timeline an entry belongs to.
export function laneOf({ type, text }: Entry): Lane {
  if (/Bound$/.test(type)) return "bound";
  if (/^Preempted/.test(type)) return "preempted";
  if (/Evict/.test(type) || (/Terminating|Failed$/.test(type) && /\(.*(evict|taint)/.test(text))) return "evicted";
  return /Taint|Cordon/.test(type) ? "tainted" : "other";
}
