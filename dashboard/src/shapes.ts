// What the server sends, as podium/ui/dashboard has it.

export interface Node {
  name: string; zone: string; pool: string; ready: boolean; cordoned: boolean;
  taints: string[]; pressure: string[]; allocatable: Record<string, number>;
  // By driver, if there are any.
  devices?: Record<string, number>; unusedDevices?: Record<string, number>;
}

export type Queue = "" | "active" | "backoff" | "unschedulable" | "gated";

export interface Pod {
  uid: string; namespace: string; name: string; node: string; nominatedNode: string;
  priority: number; priorityClass: string; owner: string; requests: Record<string, number>;
  state: "pending" | "bound" | "running" | "unready" | "terminating" | "finished"; queue: Queue; message: string;
  devices?: Record<string, number>;
}

export interface Budget {
  namespace: string; name: string; allowed: number; healthy: number; desired: number; expected: number;
}

export interface Workload {
  namespace: string; kind: string; name: string; desired: number; ready: number; pending: number; unready: number;
  note: string; budgets: string[];
}

export interface PriorityClass { name: string; value: number }

export interface Entry {
  atS: number; type: string; kind: string; namespace: string; name: string; by: string; text: string;
}

// A pod as it was when it began to go; of a page, with seconds since the start of the clock.
export interface Disruption {
  number: number; atS: number; cause: string; group: "preempted" | "evicted" | "lost"; clause: string; message: string;
  pod: Pod; ownerUid: string; budgets: Budget[]; replacement: string;
  preemptor: string; preemptorPriority: number; preemptorRequests: Record<string, number>;
}

// What changes from one moment to the next: whole new values, and the names of what is gone.
export interface Step {
  number: number; atS: number; nodes: Node[]; goneNodes: string[]; pods: Pod[]; gonePods: string[];
  budgets: Budget[]; goneBudgets: string[]; workloads: Workload[]; goneWorkloads: string[];
  priorityClasses: PriorityClass[] | null; entries: Entry[]; disruptions: Disruption[];
}

export interface View {
  number: number; atS: number; clock: string; title: string;
  live: boolean; canPlan: boolean; canApply: boolean; summary: Presentation | null;
  priorityClasses: PriorityClass[];
  nodes: Node[]; pods: Pod[]; budgets: Budget[]; workloads: Workload[]; entries: Entry[]; disruptions: number;
}

export type Tone = "" | "good" | "bad" | "waiting" | "faint";
export type Cell = string | { text: string; tone: Tone };
export interface Piece { text: string; share: number; tone: Tone }
export interface Branch { text: string; tone: Tone; branches: Branch[] }
export interface Table { headers: string[]; rows: Cell[][]; notes: string[]; title: string }
export interface Bars { headers: string[]; rows: [string, Piece[][]][]; notes: string[] }
// Each kind of block is known by its fields.
export type Block = { text: string; tone: Tone } | { items: string[] } | { says: string; png: string } |
  { branches: Branch[] } | Table | Bars;
export interface Section { title: string; blocks: Block[]; isDetail: boolean }
export interface Presentation { title: string; headline: string; sections: Section[] }

// A claim has a device, or part of it.
export interface DeviceUse { claim: string; pods: string[]; part: string }
export interface Device {
  device: string; pool: string; attributes: string; taints: string[]; left: string; state: string;
  uses: DeviceUse[];
}
export interface Claim { name: string; claim: string; requests: string[]; devices: string[]; others: string[] }
export interface PodPage {
  manifest: string; history: Entry[]; claims: Claim[]; preemption: Presentation | null; explanation: Presentation | null; problem: string;
}
export interface Signal { signal: string; available: string; threshold: string; kind: string }
// By pod, and by "" for the node itself.
export interface NodePage {
  manifest: string; signals: Signal[]; history: Entry[]; devices: Device[]; poolFaults: string[]; usage: Record<string, Record<string, number>>;
}
export interface WorkloadPage { manifest: string; history: Entry[] }
// What nodes use, in columns.
export interface NodeUsage { nodes: string[]; cpu: number[]; memory: number[] }
// The pods by uid.
export interface BudgetPage extends WorkloadPage { pods: string[] }
export interface FormField {
  description: string; type?: string | string[]; enum?: string[]; minimum?: number; default?: unknown;
}
export interface Form { properties: Record<string, FormField> }
export interface PlanPage { presentation: Presentation }
export interface Applied { object: string; result: string; problem: string }
