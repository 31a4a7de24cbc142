// What pods request of nodes, summed up by resource.
import { classOf, type Cluster } from "./cluster";
import { bytes, count, cpu } from "./format";
import type { Node, Pod } from "./shapes";

// A pod is one of the pods that its node has room for.
export const requestOf = (pod: Pod, resource: string) => (resource === "pods" ? 1 : pod.requests[resource] ?? 0);
export const roomOf = (node: Node, resource: string) => node.allocatable[resource] ?? 0;

export const isThere = (pod: Pod) => pod.state !== "finished";

export interface Usage { requested: Map<string, number>; pods: number; terminating: number; nominated: number;
  byClass: Map<string, Map<string, number>> }

const nothing = (): Usage => ({ requested: new Map(), pods: 0, terminating: 0, nominated: 0, byClass: new Map() });

const more = (sums: Map<string, number>, name: string, amount: number) => sums.set(name, (sums.get(name) ?? 0) + amount);

function moreOf(usage: Usage, resource: string, of: string, amount: number) {
  let sums = usage.byClass.get(resource);
  if (!sums) usage.byClass.set(resource, (sums = new Map()));
  more(sums, of, amount);
}

export function usageOfPods(pods: Iterable<Pod>, nominated: number): Usage {
  const usage = { ...nothing(), nominated };
  for (const pod of pods) {
    if (!isThere(pod)) continue;
    const of = classOf(pod);
    usage.pods++;
    if (pod.state === "terminating") usage.terminating++;
    for (const resource in pod.requests) {
      more(usage.requested, resource, pod.requests[resource]!);
      moreOf(usage, resource, of, pod.requests[resource]!);
    }
    moreOf(usage, "pods", of, 1);
  }
  usage.requested.set("pods", usage.pods);
  return usage;
}

// Of several nodes; by priority class only for the resource asked for.
export function usageOf(cluster: Cluster, nodes: Node[], byClass = ""): Usage {
  const usage = nothing();
  for (const node of nodes) {
    const one = cluster.usageOf(node.name);
    usage.pods += one.pods;
    usage.terminating += one.terminating;
    usage.nominated += one.nominated;
    one.requested.forEach((amount, resource) => more(usage.requested, resource, amount));
    one.byClass.get(byClass)?.forEach((amount, of) => moreOf(usage, byClass, of, amount));
  }
  return usage;
}

export const sum = (nodes: Node[], of: (node: Node) => number) => nodes.reduce((all, node) => all + of(node), 0);

// How much of a resource is requested, and of how much: "3.5 of 4".
export const requestedOf = (usage: Usage, nodes: Node[], resource: string) =>
  `${amountOf(resource, usage.requested.get(resource) ?? 0)} of ${amountOf(resource, sum(nodes, (node) => roomOf(node, resource)))}`;

const isBytes = (resource: string) => /^(memory|ephemeral-storage|hugepages-.*)$/.test(resource);

export const amountOf = (resource: string, amount: number) =>
  resource === "cpu" ? cpu(amount) : isBytes(resource) ? bytes(amount) : count(amount);

// A resource as it is called in sentences.
export const wordFor = (resource: string) => (resource === "cpu" ? "CPU" : resource.replace("ephemeral-storage", "ephemeral storage"));

export const titleFor = (resource: string) => wordFor(resource).replace(/^[a-z](?!.*\/)/, (first) => first.toUpperCase());

export const amountsIn = (amounts: Record<string, number>) => Object.keys(amounts).filter((resource) => amounts[resource])
  .sort(byRank).map((resource) => `${wordFor(resource)} ${amountOf(resource, amounts[resource]!)}`).join(", ");

// What most pods request, then what is scarce, then what seldom is.
const RANKS = ["cpu", "memory", "", "ephemeral-storage", "pods"];
const rank = (resource: string) => (RANKS.includes(resource) ? RANKS.indexOf(resource) : RANKS.indexOf(""));
const byRank = (a: string, b: string) => rank(a) - rank(b) || (a < b ? -1 : 1);

// The resources that nodes have some of.
export function resourcesOf(nodes: Iterable<Node>): string[] {
  const found = new Set<string>();
  for (const node of nodes) {
    for (const resource in node.allocatable) if (node.allocatable[resource]) found.add(resource);
  }
  return [...found].sort(byRank);
}

// What is the matter with a node, in words.
export function troubles(node: Node): string[] {
  return [...(node.ready ? [] : ["not ready"]), ...(node.cordoned ? ["cordoned"] : []), ...node.pressure];
}

export const isUnwell = (node: Node) => !node.ready || node.cordoned || node.pressure.length > 0;
