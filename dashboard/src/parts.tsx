// Small parts that several pages are made of.
import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { Cluster } from "./cluster";
import { get } from "./connection";
import { clockTime, count, elapsed, several, wallTime } from "./format";
import { laneOf } from "./lanes";
import { linesOf, type Line } from "./lines";
import { Name } from "./names";
import { usePalette } from "./palette";
import { budgetLink, nodeLink, podLink, workloadLink } from "./routes";
import type { Budget, Entry, Pod } from "./shapes";
import { useStore } from "./store";

export const Swatch = ({ colour }: { colour: string }) => <i class="swatch" style={{ background: colour }} />;

// A pod's name as a link, with the colour and the name of its class.
export function PodName({ pod }: { pod: Pod }) {
  const palette = usePalette();
  const title = `${pod.namespace}/${pod.name}, ${pod.priorityClass || "no class"}, priority ${pod.priority}`;
  return (
    <span class="pod-name" title={title}>
      <Swatch colour={palette.ofPod(pod)} />
      <a href={podLink(pod)} aria-label={`${pod.namespace}/${pod.name}`}><Name name={`${pod.namespace}/${pod.name}`} /></a>
    </span>
  );
}

// A link to a pod by its namespace and name; within a namespace, the name says enough.
export function PodLink({ pod, within = "" }: { pod: string; within?: string }) {
  const [namespace, name] = pod.split("/") as [string, string];
  return <a href={podLink({ namespace, name })} aria-label={pod}>{namespace === within ? name : pod}</a>;
}

interface EntriesProps { entries: Iterable<Line["entry"]>; linesMax?: number; isOfOne?: boolean }

// The lines of a timeline, with links to what they are about unless that is always the same.
export const Entries = ({ entries, linesMax = Infinity, isOfOne = false }: EntriesProps) =>
  <Lines lines={linesOf(entries, linesMax)} isOfOne={isOfOne} />;

// The first ones may stand on top of the rest.
export function Lines({ lines, onTop = 0, isOfOne = false }: { lines: Line[]; onTop?: number; isOfOne?: boolean }) {
  const { cluster, view: { clock }, lastS } = useStore().history!;
  return (
    <ol class={isOfOne ? "entries of-one" : "entries"}>
      {lines.map(({ entry, firstS, times, others, isCut }, index) => (
        <li class={index < onTop ? "on-top" : ""}>
          <time dateTime={clockTime(clock, entry.atS)}><b>{wallTime(clock, entry.atS, lastS)}</b> {elapsed(entry.atS)}</time>
          <b class={`mark ${laneOf(entry)}`}>{wordOf(entry)}</b>
          {!isOfOne && (others.length ? <b>{isCut && "at least "}{several(others.length + 1, entry.kind.toLowerCase())}</b> : <Subject entry={entry} cluster={cluster} />)}
          <span>
            {others.length ? <><Subject entry={entry} cluster={cluster} /> and {count(others.length)} others, since {wallTime(clock, firstS, lastS)}</> : entry.text}
            {entry.preemptor && <> by <PodLink pod={entry.preemptor} />{andOthers(entry.preemptor, others)}</>}
            {times > 1 && !others.length && <b class="times" title={`the first at ${clockTime(clock, firstS)}`}> {count(times)} ×</b>}
          </span>
        </li>
      ))}
    </ol>
  );
}

// How many other preemptors the lines have that are folded.
function andOthers(preemptor: string, lines: Line[]): string {
  const others = new Set(lines.map(({ entry }) => entry.preemptor).filter((one) => one && one !== preemptor));
  return others.size ? ` and ${several(others.size, "other")}` : "";
}

// A link to what a pod belongs to, such as Deployment/web; a static pod belongs to its node.
export function OwnerLink({ namespace, owner }: { namespace: string; owner: string }) {
  const [kind, name] = owner.split("/", 2) as [string, string];
  return owner ? <a href={kind === "Node" ? nodeLink(name) : workloadLink({ namespace, kind, name })}>{owner}</a> : null;
}

function Subject({ entry, cluster: { workloads } }: { entry: Entry; cluster: Cluster }) {
  if (entry.kind === "Pod") return <a href={podLink(entry)}>{entry.namespace}/{entry.name}</a>;
  if (entry.kind === "Node") return <a href={nodeLink(entry.name)}>{entry.name}</a>;
  if (entry.kind === "PodDisruptionBudget") return <a href={budgetLink(entry)}>{entry.namespace}/{entry.name}</a>;
  if (workloads.has(`${entry.namespace}/${entry.kind}/${entry.name}`)) return <OwnerLink namespace={entry.namespace} owner={`${entry.kind}/${entry.name}`} />;
  return <span class="faint">{[entry.kind, entry.name].filter(Boolean).join(" ")}</span>;
}

// PodBound is "bound", NodeTainted is "tainted".
export const wordOf = (entry: Entry) => entry.type === "OOMKilled" ? "OOM killed" : entry.type.replace(/^(Pod|Node)(?=[A-Z])/, "").replace(/(?<=[a-z])(?=[A-Z])/g, " ").toLowerCase();

// What the server answers to a question, if there is one, asked again when a key changes.
export function useAnswer<T>(path: string, key: string): { answer: T | null; problem: string } {
  const [state, setState] = useState<{ path: string; answer: T | null; problem: string }>({ path: "", answer: null, problem: "" });
  useEffect(() => {
    if (!path) return;
    let isWanted = true;
    const keep = (answer: T | null, problem: string) => isWanted && setState({ path, answer, problem });
    get<T>(path).then((answer) => keep(answer, ""), (error) => keep(null, String(error.message ?? error)));
    return () => void (isWanted = false);
  }, [path, key]);
  return state.path === path ? state : { answer: null, problem: "" };
}

export function Facts({ facts }: { facts: [string, ComponentChildren][] }) {
  return (
    <dl class="facts">
      {facts.filter(([, value]) => value !== undefined && value !== "" && value !== null && value !== false).map(([name, value]) => (
        <div key={name}><dt>{name}</dt><dd>{value}</dd></div>
      ))}
    </dl>
  );
}

// What a budget has left, or had.
export const BudgetLeft = ({ budget }: { budget: Budget }) => (
  <div>
    <a href={budgetLink(budget)}>{budget.namespace}/{budget.name}</a>: <span class={budget.allowed > 0 ? "" : "bad"}>{count(budget.allowed)} left</span>
    {" "}({count(budget.healthy)} of {count(budget.expected)} healthy, {count(budget.desired)} needed)
  </div>
);

export const Manifest = ({ text }: { text: string }) => (
  <details class="manifest"><summary>Manifest</summary><pre tabIndex={0}>{text}</pre></details>
);
