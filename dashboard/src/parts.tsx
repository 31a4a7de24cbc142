// Small parts that several pages are made of.
import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import { get } from "./connection";
import { clockTime, count, elapsed, wallTime } from "./format";
import { laneOf, type LaidEntry } from "./lanes";
import { Name } from "./names";
import { usePalette } from "./palette";
import { budgetLink, nodeLink, podLink } from "./routes";
import type { Entry, Pod } from "./shapes";
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

// A link to a pod by its namespace and name.
export function PodLink({ pod }: { pod: string }) {
  const [namespace, name] = pod.split("/") as [string, string];
  return <a href={podLink({ namespace, name })}>{pod}</a>;
}

interface Line { entry: Entry & Partial<LaidEntry>; firstS: number; times: number }

// Entries as lines, of which equal ones are one with a count; the latest come first.
function linesOf(entries: Iterable<Line["entry"]>, linesMax: number): Line[] {
  const lines = new Map<string, Line>();
  for (const entry of entries) {
    const key = `${entry.type} ${entry.kind} ${entry.namespace}/${entry.name} ${entry.text} ${entry.preemptor}`;
    const line = lines.get(key);
    if (line) [line.times, line.firstS] = [line.times + 1, entry.atS];
    else if (lines.size === linesMax) break;
    else lines.set(key, { entry, firstS: entry.atS, times: 1 });
  }
  return [...lines.values()];
}

interface EntriesProps { entries: Iterable<Line["entry"]>; linesMax?: number; isOfOne?: boolean }

// The lines of a timeline, with links to what they are about unless that is always the same.
export function Entries({ entries, linesMax = Infinity, isOfOne = false }: EntriesProps) {
  const { view: { clock }, lastS } = useStore().history!;
  return (
    <ol class={isOfOne ? "entries of-one" : "entries"}>
      {linesOf(entries, linesMax).map(({ entry, firstS, times }) => (
        <li>
          <time dateTime={clockTime(clock, entry.atS)}><b>{wallTime(clock, entry.atS, lastS)}</b> {elapsed(entry.atS)}</time>
          <b class={`mark ${laneOf(entry)}`}>{wordOf(entry)}</b>
          {!isOfOne && <Subject entry={entry} />}
          <span>
            {entry.text}
            {entry.preemptor && <> by <PodLink pod={entry.preemptor} /></>}
            {times > 1 && <b class="times" title={`the first at ${clockTime(clock, firstS)}`}> {count(times)} ×</b>}
          </span>
        </li>
      ))}
    </ol>
  );
}

function Subject({ entry }: { entry: Entry }) {
  if (entry.kind === "Pod") return <a href={podLink(entry)}>{entry.namespace}/{entry.name}</a>;
  if (entry.kind === "Node") return <a href={nodeLink(entry.name)}>{entry.name}</a>;
  if (entry.kind === "PodDisruptionBudget") return <a href={budgetLink(entry)}>{entry.namespace}/{entry.name}</a>;
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

export const Manifest = ({ text }: { text: string }) => (
  <details class="manifest"><summary>Manifest</summary><pre tabIndex={0}>{text}</pre></details>
);
