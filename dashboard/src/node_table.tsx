// The same as the picture, as a table.
import { useState } from "preact/hooks";
import { bytes, count, cpu, percent } from "./format";
import { byName } from "./layout";
import { nodeLink } from "./routes";
import type { Node } from "./shapes";
import { useStore } from "./store";
import { troubles } from "./usage";

const ROWS = 100;
const NUMBERS = ["CPU", "of", "Used", "Memory", "of", "Used", "Pods", "Terminating", "Nominated"];

export function NodeTable() {
  const { cluster } = useStore().history!;
  const [from, setFrom] = useState(0);
  const nodes = [...cluster.nodes.values()].sort((a, b) => byName(a.name, b.name));
  return (
    <div class="page">
      <h1 tabIndex={-1}>Nodes</h1>
      <table class="nodes">
        <thead>
          <tr><th>Node</th><th>Zone</th><th>Pool</th><th>State</th>{NUMBERS.map((title) => <th class="number">{title}</th>)}</tr>
        </thead>
        <tbody>{nodes.slice(from, from + ROWS).map((node) => <Row key={node.name} node={node} />)}</tbody>
      </table>
      {nodes.length > ROWS && (
        <p class="pages">
          <button disabled={!from} onClick={() => setFrom(from - ROWS)}>Back</button>{" "}
          {count(from + 1)} to {count(Math.min(from + ROWS, nodes.length))} of {count(nodes.length)}{" "}
          <button disabled={from + ROWS >= nodes.length} onClick={() => setFrom(from + ROWS)}>On</button>
        </p>
      )}
    </div>
  );
}

function Row({ node }: { node: Node }) {
  const { cluster } = useStore().history!;
  const usage = cluster.usageOf(node.name);
  return (
    <tr>
      <th scope="row"><a href={nodeLink(node.name)}>{node.name}</a></th>
      <td>{node.zone}</td><td>{node.pool}</td>
      <td class={troubles(node).length ? "bad" : ""}>{troubles(node).join(", ") || "ready"}</td>
      <td class="number">{cpu(usage.cpuMilli)}</td><td class="number">{cpu(node.cpuMilli)}</td><td class="number">{percent(usage.cpuMilli, node.cpuMilli)}</td>
      <td class="number">{bytes(usage.memoryBytes)}</td><td class="number">{bytes(node.memoryBytes)}</td><td class="number">{percent(usage.memoryBytes, node.memoryBytes)}</td>
      <td class="number">{count(usage.pods)}</td><td class="number">{usage.terminating || ""}</td><td class="number">{usage.nominated || ""}</td>
    </tr>
  );
}
