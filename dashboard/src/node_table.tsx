// The same as the picture, as a table.
import { percent } from "./format";
import { useMeasured } from "./measured";
import { nodeLink } from "./routes";
import type { Cluster } from "./cluster";
import type { Node } from "./shapes";
import { useStore } from "./store";
import { SortedTable, type Column } from "./table";
import { amountOf, requestedOf, roomOf, titleFor, troubles, usedOf, type Used } from "./usage";

export function NodeTable() {
  const { cluster } = useStore().history!;
  const used = useMeasured();
  const nodes = cluster.nodesByName;
  return (
    <div class="page">
      <h1 tabIndex={-1}>Nodes <small>what their pods request of them</small></h1>
      <SortedTable label="Nodes" className="nodes" rows={nodes} columns={columnsOf(nodes, cluster, used)} />
    </div>
  );
}

function columnsOf(nodes: Node[], cluster: Cluster, used: Used): Column<Node>[] {
  const usage = (node: Node) => cluster.usageOf(node.name);
  const share = (node: Node, resource: string) => (usage(node).requested.get(resource) ?? 0) / roomOf(node, resource);
  const requested = (resource: string): Column<Node> => ({
    title: titleFor(resource),
    value: (node) => (roomOf(node, resource) ? share(node, resource) : -1),
    cell: (node) => (roomOf(node, resource)
      ? <>{requestedOf(usage(node), [node], resource)} <small>{percent(share(node, resource), 1)}</small></> : "–"),
  });
  const usedShare = (node: Node, resource: string) => (usedOf(used, [node], resource) ?? -1) / (roomOf(node, resource) || 1);
  const measured = (resource: string): Column<Node>[] => (usedOf(used, nodes, resource) === undefined ? [] : [{
    title: `${titleFor(resource)} used`,
    value: (node) => usedShare(node, resource),
    cell: (node) => (usedShare(node, resource) < 0 ? "–"
      : <>{amountOf(resource, usedOf(used, [node], resource)!)} <small>{percent(usedShare(node, resource), 1)}</small></>),
  }]);
  return [
    { title: "Node", value: (node) => node.name, cell: (node) => <a href={nodeLink(node.name)}>{node.name}</a> },
    { title: "Zone", value: (node) => node.zone },
    { title: "Pool", value: (node) => node.pool },
    { title: "State", value: (node) => troubles(node).join(", ") || "ready", tone: (node) => (troubles(node).length ? "bad" : "") },
    ...cluster.resources.flatMap((resource) => [requested(resource), ...measured(resource)]),
    ...(["terminating", "nominated"] as const).filter((which) => nodes.some((node) => usage(node)[which])).map((which) => (
      { title: which[0]!.toUpperCase() + which.slice(1), value: (node: Node) => usage(node)[which] })),
  ];
}
