// What pods request of nodes, summed up.
import type { Cluster } from "./cluster";
import type { Node, Pod } from "./shapes";

export type Resource = "cpu" | "memory";

export const requestOf = (pod: Pod, resource: Resource) => resource === "cpu" ? pod.cpuMilli : pod.memoryBytes;
export const roomOf = (node: Node, resource: Resource) => resource === "cpu" ? node.cpuMilli : node.memoryBytes;

export const isThere = (pod: Pod) => pod.state !== "finished";

export interface Usage { cpuMilli: number; memoryBytes: number; pods: number; terminating: number;
  nominated: number; requested: Map<string, number> }

// Of some nodes: what is used, and what each priority class requests of one resource.
export function usageOf(cluster: Cluster, nodes: Node[], resource: Resource): Usage {
  const usage: Usage = { cpuMilli: 0, memoryBytes: 0, pods: 0, terminating: 0, nominated: 0,
    requested: new Map() };
  const { requested } = usage;
  for (const node of nodes) {
    for (const _ of cluster.nominatedTo(node.name)) usage.nominated++;
    for (const pod of cluster.podsOn(node.name)) {
      if (!isThere(pod)) continue;
      usage.pods++;
      usage.cpuMilli += pod.cpuMilli;
      usage.memoryBytes += pod.memoryBytes;
      if (pod.state === "terminating") usage.terminating++;
      requested.set(pod.priorityClass, (requested.get(pod.priorityClass) ?? 0) + requestOf(pod, resource));
    }
  }
  return usage;
}

export const sum = (nodes: Node[], of: (node: Node) => number) => nodes.reduce((all, node) => all + of(node), 0);

// What is the matter with a node, in words.
export function troubles(node: Node): string[] {
  return [...(node.ready ? [] : ["not ready"]), ...(node.cordoned ? ["cordoned"] : []), ...node.pressure];
}
