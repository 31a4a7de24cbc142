// All about a node: its room, its pods, what happened there, and how near it is to evicting some.
import { podKey, type Cluster } from "./cluster";
import { NodeDevices } from "./devices";
import { entryOf } from "./disruptions";
import { percent } from "./format";
import { laidOf } from "./history";
import { Entries, Facts, Manifest, OwnerLink, PodName, useAnswer } from "./parts";
import { nodeLink } from "./routes";
import type { Node, NodePage, Pod, Signal } from "./shapes";
import { useStore } from "./store";
import { SortedTable, type Column } from "./table";
import { amountOf, requestedOf, requestOf, roomOf, titleFor, troubles, takenFor } from "./usage";

const LINES_MAX = 200;

type Used = NodePage["usage"];

export function NodeView({ name }: { name: string }) {
  const { cluster, disruptions } = useStore().history!;
  const node = cluster.nodes.get(name);
  const pods = [...cluster.podsOn(name), ...cluster.nominatedTo(name)];
  // Its page is fetched anew when it changes, or pods come or go.
  const { answer, problem } = useAnswer<NodePage>(nodeLink(name).slice(2), JSON.stringify([node, pods.map(({ uid, devices }) => [uid, devices])]));
  const used = answer?.usage ?? {};
  const past = [...laidOf(answer?.history ?? []), ...disruptions.filter(({ pod }) => pod.node === name).map(entryOf)]
    .sort((a, b) => b.atS - a.atS);
  return (
    <div class="page">
      <h1 tabIndex={-1}>{name} <small>node</small></h1>
      {node ? (
        <Facts facts={[
          ["State", troubles(node).length ? <span class="bad">⚠ {troubles(node).join(", ")}</span> : "ready"],
          ["Zone", node.zone], ["Pool", node.pool],
          ...resourcesOf(node, cluster).map((resource): [string, string] => [titleFor(resource), shareOf(node, resource, cluster, used)]),
          ["Taints", node.taints.join(", ")],
        ]} />
      ) : <p class="faint">It isn't there at the time that is shown.</p>}
      {problem && <p class="bad" role="alert">{problem}</p>}
      {answer && <NodeDevices devices={answer.devices} faults={answer.poolFaults} />}
      {past.length > 0 && <><h2>What happened there</h2><Entries entries={past} linesMax={LINES_MAX} /></>}
      {pods.length > 0 && <><h2>Pods</h2><Pods pods={pods} resources={node ? resourcesOf(node, cluster) : ["cpu", "memory"]} used={used} /></>}
      {answer && answer.signals.length > 0 && <><h2>Pressure</h2><SortedTable label="Pressure" rows={answer.signals} columns={SIGNALS} /></>}
      {answer && <Manifest text={answer.manifest} />}
    </div>
  );
}

const resourcesOf = (node: Node, cluster: Cluster) => cluster.resources.filter((resource) => roomOf(node, resource));

function shareOf(node: Node, resource: string, cluster: Cluster, used: Used): string {
  const usage = cluster.usageOf(node.name);
  const now = used[""]?.[resource];
  return `${requestedOf(usage, [node], resource)} ${takenFor(resource)}, ${percent(usage.requested.get(resource) ?? 0, roomOf(node, resource))}` +
    (now ? `; ${amountOf(resource, now)} used` : "");
}

const SIGNALS: Column<Signal>[] = [
  { title: "Signal", value: (one) => one.signal },
  { title: "Available", value: (one) => one.available || "not measured" },
  { title: "Evicts below", value: (one) => one.threshold },
  { title: "Threshold", value: (one) => one.kind },
];

function Pods({ pods, resources, used }: { pods: Pod[]; resources: string[]; used: Used }) {
  const sorted = pods.sort((a, b) => b.priority - a.priority || (a.name < b.name ? -1 : 1));
  const amounts = resources.filter((resource) => resource !== "pods").flatMap((resource): Column<Pod>[] => {
    const column = (title: string, of: (pod: Pod) => number | undefined) =>
      ({ title, value: (pod: Pod) => of(pod) ?? 0, cell: (pod: Pod) => (of(pod) ? amountOf(resource, of(pod)!) : "–") });
    const usedOf = (pod: Pod) => used[podKey(pod)]?.[resource];
    const columns = [column(titleFor(resource), (pod) => requestOf(pod, resource))];
    return pods.some(usedOf) ? [...columns, column(`${titleFor(resource)} used`, usedOf)] : columns;
  });
  return <SortedTable label="Pods" rows={sorted} columns={[
    { title: "Pod", value: podKey, cell: (pod) => <PodName pod={pod} /> },
    { title: "Priority", value: (pod) => pod.priority },
    { title: "Class", value: (pod) => pod.priorityClass },
    { title: "State", value: (pod) => (pod.node ? pod.state : "nominated") },
    ...amounts,
    { title: "Belongs to", value: (pod) => pod.owner, cell: (pod) => <OwnerLink {...pod} /> },
  ]} />;
}
