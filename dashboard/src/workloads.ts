// How workloads stand: which are down, or below what their budgets and they themselves want, and why.
import { ownerKey, workloadKey, type Cluster } from "./cluster";
import { count, several } from "./format";
import type { History } from "./history";
import type { Budget, Disruption, Workload } from "./shapes";

// The worst first; a job isn't down while it waits.
export const STANDINGS = ["down", "below budget", "failed", "below desired", "well"] as const;
export type Standing = (typeof STANDINGS)[number];

const LATELY_SEEN = 5_000;

export const budgetsOf = (workload: Workload, cluster: Cluster): Budget[] =>
  workload.budgets.flatMap((name) => cluster.budgets.get(`${workload.namespace}/${name}`) ?? []);

export function standingOf(workload: Workload, cluster: Cluster): Standing {
  const { kind, desired, ready, note } = workload;
  if (desired > 0 && !ready && kind !== "Job") return "down";
  if (ready < desired && budgetsOf(workload, cluster).some((budget) => budget.healthy < budget.desired)) return "below budget";
  if (note.startsWith("failed")) return "failed";
  return ready < desired ? "below desired" : "well";
}

export const toneOf = (standing: Standing) => (standing === "well" ? "" : standing === "below desired" ? "waiting" : "bad");
export const signedOf = (standing: Standing) => (toneOf(standing) === "bad" ? `✕ ${standing}` : standing);

export interface Stood { workload: Workload; standing: Standing }

let known = { cluster: null as Cluster | null, version: -1, all: [] as Stood[] };

// How all of them stand, in no order: much changes between one frame and the next.
export function standingsOf(cluster: Cluster): Stood[] {
  if (known.cluster !== cluster || known.version !== cluster.workloadsVersion) {
    const all = Array.from(cluster.workloads.values(), (workload) => ({ workload, standing: standingOf(workload, cluster) }));
    known = { cluster, version: cluster.workloadsVersion, all };
  }
  return known.all;
}

// The worst first: of those that stand alike, the ones that lack the larger share.
export function byStanding(all: Stood[]): Stood[] {
  const ranked = all.map((one) => {
    const { workload: { desired, ready }, standing } = one;
    return { one, rank: STANDINGS.indexOf(standing) + (desired ? ready / desired : 1), key: workloadKey(one.workload) };
  });
  return ranked.sort((a, b) => a.rank - b.rank || (a.key < b.key ? -1 : 1)).map(({ one }) => one);
}

// Of each workload, the pods that were disrupted lately.
export function lostLately({ disruptions: { all }, disruptionsEnd }: History): Map<string, Disruption[]> {
  const lost = new Map<string, Disruption[]>();
  for (let at = disruptionsEnd - 1; at >= 0 && at >= disruptionsEnd - LATELY_SEEN; at--) {
    const { pod } = all[at]!;
    const key = ownerKey(pod);
    const some = lost.get(key);
    if (some) some.push(all[at]!);
    else lost.set(key, [all[at]!]);
  }
  return lost;
}

// What the pods that a workload lacks do instead of being ready, in words.
export function reasonsOf(workload: Workload, cluster: Cluster): string[] {
  const { desired, ready, pending, unready, note } = workload;
  const missing = desired - ready - pending - unready;
  const troubles = new Map<string, number>();
  if (unready) {
    for (const pod of cluster.podsOf(workloadKey(workload))) {
      if (pod.state !== "bound" && pod.state !== "unready") continue;
      const word = pod.message || (pod.state === "bound" ? "starting" : "not ready");
      troubles.set(word, (troubles.get(word) ?? 0) + 1);
    }
  }
  return [
    ...(pending ? [`${count(pending)} pending`] : []),
    ...[...troubles].map(([word, amount]) => `${count(amount)} ${word}`),
    ...(missing > 0 ? [`${count(missing)} not created`] : []),
    ...(note ? [note] : []),
  ];
}

// Why pods wait, in the scheduler's words, and the pods.
export function waitsOf(cluster: Cluster, key: string) {
  const waits = new Map<string, string[]>();
  for (const pod of cluster.podsOf(key)) {
    if (pod.state !== "pending") continue;
    const why = pod.message || (pod.queue ? `is ${pod.queue} in the scheduling queue` : "hasn't been tried yet");
    const pods = waits.get(why);
    if (pods) pods.push(pod.name);
    else waits.set(why, [pod.name]);
  }
  return [...waits].sort(([, a], [, b]) => b.length - a.length);
}

// The scheduler's reason without what preemption could do about it.
export const briefly = (reason: string) => reason.replace(/ (no new claims to deallocate, )?preemption: .*$/, "");

// Such as "2 workloads are down, 1 is below budget".
export const downText = (down: number, below: number) =>
  [down && `${several(down, "workload")} ${down === 1 ? "is" : "are"} down`,
    below && `${down ? count(below) : several(below, "workload")} ${below === 1 ? "is" : "are"} below budget`].filter(Boolean).join(", ");
