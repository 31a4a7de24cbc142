// A cluster at one moment, and what leads from it to the next and back.
import { byName, commonEnding } from "./names";
import { resourcesOf, usageOfNode, type Usage } from "./usage";
import type { Budget, Node, Pod, Step, View, Workload } from "./shapes";

export const budgetKey = (budget: Budget) => `${budget.namespace}/${budget.name}`;
export const workloadKey = ({ namespace, kind, name }: Workload) => `${namespace}/${kind}/${name}`;
// Of the workload that a pod belongs to.
export const ownerKey = (pod: Pod) => (pod.owner ? `${pod.namespace}/${pod.owner}` : "");
export const podKey = (pod: Pod) => `${pod.namespace}/${pod.name}`;

// What stands for the class of a pod that has none, since its priority matters all the same.
export const classOf = (pod: Pod) => pod.priorityClass || (pod.priority ? `priority ${pod.priority}` : "no class");
const CLASSES_MAX = 100;

type Pods = Map<string, Pod>;
const NONE: Pods = new Map();

export class Cluster {
  readonly nodes = new Map<string, Node>();
  readonly pods: Pods = new Map();
  readonly budgets = new Map<string, Budget>();
  readonly workloads = new Map<string, Workload>();
  // By node, by node nominated, by queue, by workload: pods by uid.
  private readonly bound = new Map<string, Pods>();
  private readonly nominated = new Map<string, Pods>();
  private readonly queued = new Map<string, Pods>();
  private readonly owned = new Map<string, Pods>();

  // Of nodes whose pods haven't changed since somebody asked.
  private readonly usages = new Map<string, Usage>();
  // The classes that pods have had, with their priorities; some may be gone, or never have been.
  readonly classes = new Map<string, number>();
  // Nodes that have changed, or whose pods have, since they were painted.
  readonly touched = new Set<string>();
  // Counts the changes of nodes, and those of workloads and budgets.
  nodesVersion = 0;
  workloadsVersion = 0;
  private ofNodes = { version: -1, resources: [] as string[], ending: "", sorted: [] as Node[] };

  constructor(view: View) {
    for (const node of view.nodes) this.nodes.set(node.name, node);
    for (const budget of view.budgets) this.budgets.set(budgetKey(budget), budget);
    for (const workload of view.workloads) this.workloads.set(workloadKey(workload), workload);
    for (const pod of view.pods) this.putPod(pod);
  }

  podsOf(workload: string): Iterable<Pod> { return (this.owned.get(workload) ?? NONE).values(); }
  podsOn(node: string): Iterable<Pod> { return (this.bound.get(node) ?? NONE).values(); }
  nominatedTo(node: string): Iterable<Pod> { return (this.nominated.get(node) ?? NONE).values(); }
  usageOf(node: string): Usage {
    let usage = this.usages.get(node);
    if (!usage) this.usages.set(node, (usage = usageOfNode(this.nodes.get(node), this.podsOn(node), this.nominated.get(node)?.size ?? 0)));
    return usage;
  }
  // What nodes have some of, and the ending that all their names have.
  get resources() { return this.knownOfNodes().resources; }
  get nodeEnding() { return this.knownOfNodes().ending; }
  get nodesByName() { return this.knownOfNodes().sorted; }
  private knownOfNodes() {
    if (this.ofNodes.version !== this.nodesVersion) {
      this.ofNodes = { version: this.nodesVersion, resources: resourcesOf(this.nodes.values()),
        ending: commonEnding(this.nodes.keys()), sorted: [...this.nodes.values()].sort((a, b) => byName(a.name, b.name)) };
    }
    return this.ofNodes;
  }
  inQueue(queue: string): Pods { return this.queued.get(queue) ?? NONE; }

  // Makes a step, and returns the one that leads back.
  apply(step: Step): Step {
    const back: Step = { ...step, nodes: [], goneNodes: [], pods: [], gonePods: [], budgets: [],
      goneBudgets: [], workloads: [], goneWorkloads: [], entries: [], disruptions: [] };
    for (const node of step.nodes) keep(this.nodes.get(node.name), node.name, back.nodes, back.goneNodes);
    for (const name of step.goneNodes) keep(this.nodes.get(name), "", back.nodes, []);
    for (const pod of step.pods) keep(this.pods.get(pod.uid), pod.uid, back.pods, back.gonePods);
    for (const uid of step.gonePods) keep(this.pods.get(uid), "", back.pods, []);
    for (const budget of step.budgets) {
      const key = budgetKey(budget);
      keep(this.budgets.get(key), key, back.budgets, back.goneBudgets);
    }
    for (const key of step.goneBudgets) keep(this.budgets.get(key), "", back.budgets, []);
    for (const workload of step.workloads) {
      const key = workloadKey(workload);
      keep(this.workloads.get(key), key, back.workloads, back.goneWorkloads);
    }
    for (const key of step.goneWorkloads) keep(this.workloads.get(key), "", back.workloads, []);
    this.change(step);
    return back;
  }

  private change(step: Step) {
    if (step.nodes.length + step.goneNodes.length) this.nodesVersion++;
    for (const name of step.goneNodes) this.nodes.delete(name);
    for (const node of step.nodes) {
      this.nodes.set(node.name, node);
      this.usages.delete(node.name);
    }
    for (const uid of step.gonePods) this.removePod(uid);
    for (const pod of step.pods) this.putPod(pod);
    for (const key of step.goneBudgets) this.budgets.delete(key);
    for (const budget of step.budgets) this.budgets.set(budgetKey(budget), budget);
    for (const key of step.goneWorkloads) this.workloads.delete(key);
    for (const workload of step.workloads) this.workloads.set(workloadKey(workload), workload);
    if (step.budgets.length + step.goneBudgets.length + step.workloads.length + step.goneWorkloads.length) this.workloadsVersion++;
  }

  private removePod(uid: string) {
    const pod = this.pods.get(uid);
    if (!pod) return;
    this.pods.delete(uid);
    this.touch(pod);
    this.bound.get(pod.node)?.delete(uid);
    this.nominated.get(pod.nominatedNode)?.delete(uid);
    this.queued.get(pod.queue)?.delete(uid);
    this.owned.get(ownerKey(pod))?.delete(uid);
  }

  private touch(pod: Pod) {
    const node = pod.node || pod.nominatedNode;
    this.usages.delete(node);
    this.touched.add(node);
  }

  private putPod(pod: Pod) {
    this.removePod(pod.uid);
    this.pods.set(pod.uid, pod);
    this.touch(pod);
    if (this.classes.size < CLASSES_MAX) this.classes.set(classOf(pod), pod.priority);
    if (pod.node) put(this.bound, pod.node, pod);
    else if (pod.nominatedNode) put(this.nominated, pod.nominatedNode, pod);
    if (pod.queue) put(this.queued, pod.queue, pod);
    if (pod.owner) put(this.owned, ownerKey(pod), pod);
  }
}

function keep<T>(old: T | undefined, name: string, values: T[], gone: string[]) {
  if (old !== undefined) values.push(old);
  else if (name) gone.push(name);
}

function put(index: Map<string, Pods>, key: string, pod: Pod) {
  const pods = index.get(key);
  if (pods) pods.set(pod.uid, pod);
  else index.set(key, new Map([[pod.uid, pod]]));
}
