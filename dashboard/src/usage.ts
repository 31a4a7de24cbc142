// What pods request of nodes, summed up by resource.
import { classOf, type Cluster } from "./cluster";
import { bytes, count, cpu, parts } from "./format";
import type { Node, Pod } from "./shapes";

// The devices of a driver are filled and summed up as resources are; no resource is called like this.
const DEVICES = " devices";
const driverOf = (resource: string) => (resource.endsWith(DEVICES) ? resource.slice(0, -DEVICES.length) : "");
const asResources = (devices: Record<string, number> = {}) =>
  Object.fromEntries(Object.entries(devices).map(([driver, amount]) => [driver + DEVICES, amount]));

// A pod is one of the pods that its node has room for.
export const requestOf = (pod: Pod, resource: string) =>
  (resource === "pods" ? 1 : pod.requests[resource] ?? pod.devices?.[driverOf(resource)] ?? 0);
export const roomOf = (node: Node, resource: string) => node.allocatable[resource] ?? node.devices?.[driverOf(resource)] ?? 0;
export const devicesOf = (pod: Pod) => asResources(pod.devices);

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

export function usageOfNode(node: Node | undefined, pods: Iterable<Pod>, nominated: number): Usage {
  const usage = { ...nothing(), nominated };
  const unused = asResources(node?.unusedDevices);
  for (const resource in unused) more(usage.requested, resource, unused[resource]!);
  for (const pod of pods) {
    if (!isThere(pod)) continue;
    const of = classOf(pod);
    usage.pods++;
    if (pod.state === "terminating") usage.terminating++;
    const taken = pod.devices ? { ...pod.requests, ...devicesOf(pod) } : pod.requests;
    for (const resource in taken) {
      more(usage.requested, resource, taken[resource]!);
      moreOf(usage, resource, of, taken[resource]!);
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

// What each node uses of the resources that are measured.
export type Used = Map<string, Record<string, number>>;

// What those of some nodes use that are measured; undefined if none is.
export function usedOf(used: Used, nodes: Node[], resource: string): number | undefined {
  let all: number | undefined;
  for (const { name } of nodes) {
    const amount = used.get(name)?.[resource];
    if (amount !== undefined) all = (all ?? 0) + amount;
  }
  return all;
}

export const sum = (nodes: Node[], of: (node: Node) => number) => nodes.reduce((all, node) => all + of(node), 0);

// How much of a resource is requested, and of how much: "3.5 of 4".
export const requestedOf = (usage: Usage, nodes: Node[], resource: string) =>
  `${amountOf(resource, usage.requested.get(resource) ?? 0)} of ${amountOf(resource, sum(nodes, (node) => roomOf(node, resource)))}`;

// What becomes of a resource of a node, and what its pods do with it.
export const takenFor = (resource: string) => (driverOf(resource) ? "allocated" : "requested");
export const takesFor = (resource: string) => (driverOf(resource) ? "has" : "requests");

const isBytes = (resource: string) => /^(memory|ephemeral-storage|hugepages-.*)$/.test(resource);

export const amountOf = (resource: string, amount: number) =>
  resource === "cpu" ? cpu(amount) : isBytes(resource) ? bytes(amount) : driverOf(resource) ? parts(amount) : count(amount);

// A resource as it is called in sentences.
export const wordFor = (resource: string) => (resource === "cpu" ? "CPU" : resource.replace("ephemeral-storage", "ephemeral storage"));

export const titleFor = (resource: string) => wordFor(resource).replace(/^[a-z](?!.*[/.])/, (first) => first.toUpperCase());

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
    for (const driver in node.devices) found.add(driver + DEVICES);
  }
  return [...found].sort(byRank);
}

// What is the matter with a node, in words.
export function troubles(node: Node): string[] {
  return [...(node.ready ? [] : ["not ready"]), ...(node.cordoned ? ["cordoned"] : []), ...node.pressure];
}

export const isUnwell = (node: Node) => !node.ready || node.cordoned || node.pressure.length > 0;
