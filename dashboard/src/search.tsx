// Finds workloads, nodes and pods by name, also pods that are gone, namespaces, and what has or requests a resource.
import { useState } from "preact/hooks";
import { podKey, workloadKey, type Cluster } from "./cluster";
import { entryOf } from "./disruptions";
import { several, wallTime } from "./format";
import type { History } from "./history";
import { wordOf } from "./parts";
import { nodeLink, open, podLink, workloadLink, workloadsLink } from "./routes";
import type { Node, Pod } from "./shapes";
import { useStore } from "./store";
import { amountOf, isThere, requestedOf, requestOf, roomOf, takesFor, wordFor } from "./usage";
import { byStanding, standingsOf, type Stood } from "./workloads";

const RESULTS_MAX = 14;
const LARGEST = 5;

interface Result { name: string; what: string; link: string }

function find(history: History, words: string): Result[] {
  const wanted = words.trim().toLowerCase();
  if (!wanted) return [];
  const results = new Map<string, Result>();
  const add = (found: Iterable<Result>, max: number) => {
    for (const one of found) {
      if (max <= 0 || results.size === RESULTS_MAX) return;
      if (!results.has(one.link)) { results.set(one.link, one); max--; }
    }
  };
  const { cluster } = history;
  add(namespaces(cluster, wanted), RESULTS_MAX / 4);
  add(named(byStanding(standingsOf(cluster)), ({ workload }) => workloadKey(workload), wanted, workloadResult), RESULTS_MAX / 2);
  add(named(cluster.nodes.values(), (node) => node.name, wanted, nodeResult), RESULTS_MAX / 2);
  add(withResource(cluster, wanted), RESULTS_MAX);
  add(named(cluster.pods.values(), podKey, wanted, podResult), RESULTS_MAX);
  add(gone(history, wanted), RESULTS_MAX);
  return [...results.values()];
}

const workloadResult = ({ workload, standing }: Stood): Result =>
  ({ name: `${workload.namespace}/${workload.name}`, what: `${workload.kind}, ${standing}`, link: workloadLink(workload) });
const nodeResult = ({ name }: Node): Result => ({ name, what: "node", link: nodeLink(name) });
const podResult = (pod: Pod): Result => ({ name: podKey(pod), what: pod.node || pod.queue || "pod", link: podLink(pod) });

function* named<T>(all: Iterable<T>, nameOf: (one: T) => string, wanted: string, resultOf: (one: T) => Result) {
  for (const one of all) if (nameOf(one).toLowerCase().includes(wanted)) yield resultOf(one);
}

// The namespaces in which there are workloads.
function* namespaces(cluster: Cluster, wanted: string): Iterable<Result> {
  const amounts = new Map<string, number>();
  for (const { namespace } of cluster.workloads.values()) amounts.set(namespace, (amounts.get(namespace) ?? 0) + 1);
  for (const [name, amount] of amounts) {
    if (name.toLowerCase().includes(wanted)) yield { name, what: `namespace, ${several(amount, "workload")}`, link: workloadsLink(name) };
  }
}

// The nodes that have a resource of that name, the fullest first, and the pods that request most of it.
function* withResource(cluster: Cluster, wanted: string): Iterable<Result> {
  const resource = cluster.resources.find((one) => one !== "pods" && wordFor(one).toLowerCase().includes(wanted));
  if (!resource) return;
  const filled = (node: Node) => (cluster.usageOf(node.name).requested.get(resource) ?? 0) / roomOf(node, resource);
  const nodes = cluster.nodesByName.filter((node) => roomOf(node, resource));
  for (const node of largest(nodes, filled)) {
    yield { ...nodeResult(node), what: `node, ${wordFor(resource)} ${requestedOf(cluster.usageOf(node.name), [node], resource)}` };
  }
  for (const pod of largest(cluster.pods.values(), (one) => (isThere(one) ? requestOf(one, resource) : 0))) {
    yield { ...podResult(pod), what: `${takesFor(resource)} ${amountOf(resource, requestOf(pod, resource))}, ${pod.node || pod.queue}` };
  }
}

// The few of which something is largest, in order; none of which it is nothing.
function largest<T>(all: Iterable<T>, valueOf: (one: T) => number): T[] {
  const kept: [number, T][] = [];
  for (const one of all) {
    const value = valueOf(one);
    if (!value || (kept.length === LARGEST && value <= kept[LARGEST - 1]![0])) continue;
    const place = kept.findIndex(([other]) => other < value);
    kept.splice(place < 0 ? kept.length : place, 0, [value, one]);
    kept.length = Math.min(kept.length, LARGEST);
  }
  return kept.map(([, one]) => one);
}

// The pods that were disrupted, the last first.
function* gone({ disruptions: { all }, view: { clock }, lastS }: History, wanted: string): Iterable<Result> {
  for (let at = all.length - 1; at >= 0; at--) {
    const one = all[at]!;
    if (!podKey(one.pod).toLowerCase().includes(wanted)) continue;
    yield { name: podKey(one.pod), what: `${wordOf(entryOf(one))} ${wallTime(clock, one.atS, lastS)}`, link: podLink(one.pod) };
  }
}

export function Search() {
  const history = useStore().history;
  const [words, setWords] = useState("");
  const [chosen, setChosen] = useState(0);
  const results = history ? find(history, words) : [];
  const go = (result: Result | undefined) => {
    if (!result) return;
    setWords("");
    (document.activeElement as HTMLElement | null)?.blur();
    open(result.link);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === "ArrowDown") setChosen(Math.min(chosen + 1, results.length - 1));
    else if (event.key === "ArrowUp") setChosen(Math.max(chosen - 1, 0));
    else if (event.key === "Enter") go(results[chosen]);
    else if (event.key === "Escape") { setWords(""); (event.currentTarget as HTMLElement).blur(); }
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <div class="search" role="search">
      <input id="search" type="search" role="combobox" placeholder="Find a workload, pod or node   /" aria-label="Find a workload, pod or node" autocomplete="off"
        aria-expanded={results.length > 0} aria-controls="found" aria-activedescendant={results.length ? `found-${chosen}` : undefined}
        value={words} onKeyDown={onKeyDown} onInput={(event) => { setWords(event.currentTarget.value); setChosen(0); }} />
      {words.trim() && (
        <ul id="found" role="listbox" aria-label="Found">
          {results.map((result, index) => (
            <li key={result.link} id={`found-${index}`} role="option" aria-selected={index === chosen} onPointerDown={() => go(result)}>
              {result.name} <small>{result.what}</small>
            </li>
          ))}
          {!results.length && <li class="faint">Nothing by that name.</li>}
        </ul>
      )}
    </div>
  );
}
