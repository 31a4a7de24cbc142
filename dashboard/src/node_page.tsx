// All about a node: its room, its pods, and how near it is to evicting some.
import { bytes, count, cpu, percent } from "./format";
import { Entries, Facts, Manifest, PodName, useAnswer } from "./parts";
import { nodeLink } from "./routes";
import type { NodePage, Pod, Signal } from "./shapes";
import { useStore } from "./store";
import { troubles } from "./usage";

export function NodeView({ name }: { name: string }) {
  const { cluster } = useStore().history!;
  const node = cluster.nodes.get(name);
  const { answer, problem } = useAnswer<NodePage>(nodeLink(name).slice(2), JSON.stringify(node));
  const usage = cluster.usageOf(name);
  const pods = [...cluster.podsOn(name), ...cluster.nominatedTo(name)];
  return (
    <div class="page">
      <h1 tabIndex={-1}>{name} <small>node</small></h1>
      {node ? (
        <Facts facts={[
          ["State", troubles(node).length ? <span class="bad">⚠ {troubles(node).join(", ")}</span> : "ready"],
          ["Zone", node.zone], ["Pool", node.pool],
          ["CPU", `${cpu(usage.cpuMilli)} of ${cpu(node.cpuMilli)} requested, ${percent(usage.cpuMilli, node.cpuMilli)}`],
          ["Memory", `${bytes(usage.memoryBytes)} of ${bytes(node.memoryBytes)} requested, ${percent(usage.memoryBytes, node.memoryBytes)}`],
          ["Pods", `${count(usage.pods)} of ${count(node.podsMax)}`],
          ["Taints", node.taints.join(", ")],
        ]} />
      ) : <p class="faint">It isn't there at the time that is shown.</p>}
      {problem && <p class="bad" role="alert">{problem}</p>}
      {answer && answer.signals.length > 0 && <Signals signals={answer.signals} />}
      {pods.length > 0 && <Pods pods={pods} />}
      {answer && answer.history.length > 0 && <><h2>What happened to it</h2><Entries isOfOne entries={[...answer.history].reverse()} /></>}
      {answer && <Manifest text={answer.manifest} />}
    </div>
  );
}

function Signals({ signals }: { signals: Signal[] }) {
  return (
    <>
      <h2>Pressure</h2>
      <table>
        <thead><tr><th>Signal</th><th class="number">Available</th><th class="number">Evicts below</th><th>Threshold</th></tr></thead>
        <tbody>
          {signals.map((one) => (
            <tr><th scope="row">{one.signal}</th><td class="number">{one.available || "not measured"}</td><td class="number">{one.threshold}</td><td>{one.kind}</td></tr>
          ))}
        </tbody>
      </table>
    </>
  );
}

function Pods({ pods }: { pods: Pod[] }) {
  const sorted = pods.sort((a, b) => b.priority - a.priority || (a.name < b.name ? -1 : 1));
  return (
    <>
      <h2>Pods</h2>
      <table>
        <thead><tr><th>Pod</th><th class="number">Priority</th><th>Class</th><th>State</th><th class="number">CPU</th><th class="number">Memory</th><th>Belongs to</th></tr></thead>
        <tbody>
          {sorted.map((pod) => (
            <tr key={pod.uid}>
              <th scope="row"><PodName pod={pod} /></th>
              <td class="number">{count(pod.priority)}</td><td>{pod.priorityClass}</td>
              <td>{pod.node ? pod.state : "nominated"}</td>
              <td class="number">{cpu(pod.cpuMilli)}</td><td class="number">{bytes(pod.memoryBytes)}</td><td>{pod.owner}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </>
  );
}
