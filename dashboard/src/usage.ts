// What pods request of nodes, summed up.
import { classOf, type Cluster } from "./cluster";
import type { Node, Pod } from "./shapes";

export type Resource = "cpu" | "memory";

export const requestOf = (pod: Pod, resource: Resource) => resource === "cpu" ? pod.cpuMilli : pod.memoryBytes;
export const roomOf = (node: Node, resource: Resource) => resource === "cpu" ? node.cpuMilli : node.memoryBytes;

export const isThere = (pod: Pod) => pod.state !== "finished";

// What pods request, all together and by priority class.
export interface Usage { cpuMilli: number; memoryBytes: number; pods: number; terminating: number;
  nominated: number; cpu: Map<string, number>; memory: Map<string, number> }

const nothing = (): Usage => ({ cpuMilli: 0, memoryBytes: 0, pods: 0, terminating: 0, nominated: 0,
  cpu: new Map(), memory: new Map() });

const more = (sums: Map<string, number>, name: string, amount: number) => sums.set(name, (sums.get(name) ?? 0) + amount);

export function usageOfPods(pods: Iterable<Pod>, nominated: number): Usage {
  const usage = { ...nothing(), nominated };
  for (const pod of pods) {
    if (!isThere(pod)) continue;
    usage.pods++;
    usage.cpuMilli += pod.cpuMilli;
    usage.memoryBytes += pod.memoryBytes;
    if (pod.state === "terminating") usage.terminating++;
    more(usage.cpu, classOf(pod), pod.cpuMilli);
    more(usage.memory, classOf(pod), pod.memoryBytes);
  }
  return usage;
}

// Of several nodes; by priority class only for the resources asked for.
export function usageOf(cluster: Cluster, nodes: Node[], ...byClass: Resource[]): Usage {
  const usage = nothing();
  for (const node of nodes) {
    const one = cluster.usageOf(node.name);
    usage.cpuMilli += one.cpuMilli;
    usage.memoryBytes += one.memoryBytes;
    usage.pods += one.pods;
    usage.terminating += one.terminating;
    usage.nominated += one.nominated;
    for (const resource of byClass) one[resource].forEach((amount, name) => more(usage[resource], name, amount));
  }
  return usage;
}

export const sum = (nodes: Node[], of: (node: Node) => number) => nodes.reduce((all, node) => all + of(node), 0);

// What is the matter with a node, in words.
export function troubles(node: Node): string[] {
  return [...(node.ready ? [] : ["not ready"]), ...(node.cordoned ? ["cordoned"] : []), ...node.pressure];
}

export const isUnwell = (node: Node) => !node.ready || node.cordoned || node.pressure.length > 0;
