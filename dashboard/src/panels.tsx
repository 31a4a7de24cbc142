// What stands beside the picture: what was disrupted lately, queues, budgets, nodes under pressure.
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { budgetKey, podKey, type Cluster } from "./cluster";
import { entryOf } from "./disruptions";
import { count, several, wallTime } from "./format";
import type { History } from "./history";
import { byName, Name } from "./names";
import { OwnerLink, PodLink, PodName, wordOf } from "./parts";
import { budgetLink, nodeLink } from "./routes";
import type { Budget, Disruption, Pod } from "./shapes";
import { useStore } from "./store";
import { SortedTable, type Column } from "./table";
import { isUnwell, troubles } from "./usage";

const QUEUES = [
  ["active", "Active", "wait for their turn"],
  ["backoff", "Backoff", "try again soon"],
  ["unschedulable", "Unschedulable", "wait for a change"],
  ["gated", "Gated", "held back by gates"],
] as const;
const SHOWN = 20;
const LATELY_SHOWN = 6;
const LATELY_SEEN = 1_000;

export function Panels() {
  const history = useStore().history!;
  const { cluster } = history;
  return (
    <aside class="panels" aria-label="Disruptions, queues, budgets and pressure">
      <Lately history={history} />
      {QUEUES.map(([queue, title, says]) => {
        const pods = cluster.inQueue(queue);
        return pods.size > 0 && (
          <Panel key={queue} id={`queue-${queue}`} title={title} says={says} amount={pods.size}>
            <QueuedPods pods={pods.values()} />
          </Panel>
        );
      })}
      {!QUEUES.some(([queue]) => cluster.inQueue(queue).size) && <p class="panel faint">No pod waits.</p>}
      <Budgets history={history} />
      <Unwell cluster={cluster} />
    </aside>
  );
}

interface PanelProps { id: string; title: string; says: string; amount: number; children: ComponentChildren }

function Panel({ id, title, says, amount, children }: PanelProps) {
  return (
    <section class="panel" id={id} aria-labelledby={`${id}-title`}>
      <h2 id={`${id}-title`}>{title} <span class={amount ? "amount" : "amount none"}>{count(amount)}</span> <small>{says}</small></h2>
      {amount > 0 && children}
    </section>
  );
}

// The last disruptions; those of one workload by one cause are one line.
function Lately({ history: { disruptions: { all }, disruptionsEnd, view: { clock }, lastS } }: { history: History }) {
  const groups = new Map<string, Disruption[]>();
  for (let at = disruptionsEnd - 1; at >= 0 && at >= disruptionsEnd - LATELY_SEEN; at--) {
    const one = all[at]!;
    const name = `${one.cause} ${one.pod.namespace}/${one.pod.owner || one.pod.name}`;
    const group = groups.get(name);
    if (group) group.push(one);
    else if (groups.size === LATELY_SHOWN) break;
    else groups.set(name, [one]);
  }
  return disruptionsEnd > 0 && (
    <Panel id="lately" title="Lately disrupted" says="in all" amount={disruptionsEnd}>
      <ol class="queue">
        {[...groups.values()].map((group) => {
          const [one] = group as [Disruption];
          const missing = group.filter(({ replacement }) => !replacement).length;
          return (
            <li key={one.number}>
              <PodName pod={one.pod} />
              <time class="number">{wallTime(clock, one.atS, lastS)}</time>
              <span class="message">
                <b class="bad">{wordOf(entryOf(one))}</b>
                {group.length > 1 && <> with {several(group.length - 1, "other")} of {one.pod.owner ? <OwnerLink {...one.pod} /> : one.pod.name}</>}
                {one.preemptor && <> by <PodLink pod={one.preemptor} /></>}
                {missing ? `; ${group.length > 1 ? `${count(missing)} not` : "not"} replaced` : "; replaced"}
              </span>
            </li>
          );
        })}
      </ol>
    </Panel>
  );
}

function QueuedPods({ pods }: { pods: Iterable<Pod> }) {
  const [shown, setShown] = useState(SHOWN);
  // Those that are stuck stand before those that have a place in view.
  const sorted = [...pods].sort((a, b) => Number(!!a.nominatedNode) - Number(!!b.nominatedNode)
    || b.priority - a.priority || (a.name < b.name ? -1 : 1));
  return (
    <>
      <ol class="queue">
        {sorted.slice(0, shown).map((pod) => (
          <li key={pod.uid}>
            <PodName pod={pod} />
            <span class="number">{count(pod.priority)}</span>
            {pod.message && <span class="message" title={pod.message}>{pod.message}</span>}
            {pod.nominatedNode && <span class="message">nominated to {pod.nominatedNode}</span>}
          </li>
        ))}
      </ol>
      <More left={sorted.length - shown} show={() => setShown(shown + 100)} />
    </>
  );
}

function More({ left, show }: { left: number; show(): void }) {
  return left > 0 ? <button class="more" onClick={show}>{count(left)} more</button> : null;
}

function Budgets({ history }: { history: History }) {
  const { cluster, view: { clock }, lastS } = history;
  const budgets = [...cluster.budgets.values()].sort((a, b) => a.allowed - b.allowed || byName(budgetKey(a), budgetKey(b)));
  const hits = lastHits(history);
  const columns: Column<Budget>[] = [
    { title: "Budget", value: budgetKey, cell: (one) => {
      const hit = hits.get(budgetKey(one));
      return (
        <>
          <a href={budgetLink(one)} aria-label={budgetKey(one)}>{one.name} <small>{one.namespace}</small></a>
          {hit && (
            <small>
              {" "}<span class={hit.allowed > 0 ? "" : "bad"}>{hit.allowed > 0 ? "hit" : "violated"} {wallTime(clock, hit.by.atS, lastS)}</span>
              {hit.by.preemptor ? <> by <PodLink pod={hit.by.preemptor} within={one.namespace} /></> : <>: <PodLink pod={podKey(hit.by.pod)} within={one.namespace} /> {wordOf(entryOf(hit.by))}</>}
            </small>
          )}
        </>
      );
    } },
    { title: "Healthy", value: (one) => one.healthy, cell: (one) => `${count(one.healthy)} / ${count(one.expected)}` },
    { title: "Needed", value: (one) => one.desired },
    { title: "Left", value: (one) => one.allowed, cell: (one) => one.allowed > 0 ? count(one.allowed) : "✕ 0",
      tone: (one) => (one.allowed > 0 ? "good" : "bad") },
  ];
  return (
    <Panel id="budgets" title="Budgets" says="disruptions left" amount={budgets.length}>
      <SortedTable label="Budgets" className="budgets" rows={budgets} columns={columns} />
    </Panel>
  );
}

// The last disruption of the pods of each budget, and how many it allowed then.
function lastHits({ disruptions: { all }, disruptionsEnd }: History) {
  const hits = new Map<string, { by: Disruption; allowed: number }>();
  for (let at = disruptionsEnd - 1; at >= 0 && at >= disruptionsEnd - LATELY_SEEN; at--) {
    const by = all[at]!;
    for (const one of by.budgets) if (!hits.has(budgetKey(one))) hits.set(budgetKey(one), { by, allowed: one.allowed });
  }
  return hits;
}

function Unwell({ cluster }: { cluster: Cluster }) {
  const [shown, setShown] = useState(SHOWN);
  const nodes = [...cluster.nodes.values()].filter(isUnwell).sort((a, b) => byName(a.name, b.name));
  return (
    <Panel id="pressure" title="Pressure" says="nodes that aren't well" amount={nodes.length}>
      <ul class="queue">
        {nodes.slice(0, shown).map((node) => (
          <li key={node.name}>
            <a href={nodeLink(node.name)}><Name name={node.name} ending={cluster.nodeEnding} /></a>
            <span class="bad">⚠ {troubles(node).join(", ")}</span>
          </li>
        ))}
      </ul>
      <More left={nodes.length - shown} show={() => setShown(shown + 100)} />
    </Panel>
  );
}
