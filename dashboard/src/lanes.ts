// What kinds of things happen, as the timeline has a line for each.
import type { Entry } from "./shapes";

export const LANES = ["bound", "preempted", "evicted", "tainted"] as const;
export type Lane = (typeof LANES)[number] | "other";

// Which lane of the timeline an entry belongs to.
export function laneOf({ type, text }: Entry): Lane {
  if (/Bound$/.test(type)) return "bound";
  const cause = /(Terminating|Failed)$/.test(type) ? /\(.*(preempt|evict|taint)/.exec(text)?.[1] : "";
  if (/^Preempted/.test(type) || cause === "preempt") return "preempted";
  if (/Evict/.test(type) || cause) return "evicted";
  return /Taint|Cordon/.test(type) ? "tainted" : "other";
}
