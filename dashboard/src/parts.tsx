// Small parts that several pages are made of.
import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import { get } from "./connection";
import { clockTime, elapsed } from "./format";
import { laneOf } from "./lanes";
import { Name } from "./names";
import { usePalette } from "./palette";
import { nodeLink, podLink } from "./routes";
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

// The lines of a timeline, with links to what they are about unless that is always the same.
export function Entries({ entries, isOfOne = false }: { entries: Entry[]; isOfOne?: boolean }) {
  const clock = useStore().history!.view.clock;
  return (
    <ol class={isOfOne ? "entries of-one" : "entries"}>
      {entries.map((entry) => (
        <li>
          <time title={clockTime(clock, entry.atS)}>{elapsed(entry.atS)}</time>
          <b class={`mark ${laneOf(entry)}`}>{wordOf(entry)}</b>
          {!isOfOne && <Subject entry={entry} />}
          <span>{entry.text}</span>
        </li>
      ))}
    </ol>
  );
}

function Subject({ entry }: { entry: Entry }) {
  if (entry.kind === "Pod") return <a href={podLink(entry)}>{entry.namespace}/{entry.name}</a>;
  if (entry.kind === "Node") return <a href={nodeLink(entry.name)}>{entry.name}</a>;
  return <span class="faint">{[entry.kind, entry.name].filter(Boolean).join(" ")}</span>;
}

// PodBound is "bound", NodeTainted is "tainted".
const wordOf = (entry: Entry) => entry.type.replace(/^(Pod|Node)(?=[A-Z])/, "").replace(/(?<=[a-z])(?=[A-Z])/g, " ").toLowerCase();

// What the server answers to a question, asked again when a key changes.
export function useAnswer<T>(path: string, key: string): { answer: T | null; problem: string } {
  const [state, setState] = useState<{ path: string; answer: T | null; problem: string }>({ path: "", answer: null, problem: "" });
  useEffect(() => {
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
      {facts.filter(([, value]) => value !== "" && value !== null && value !== false).map(([name, value]) => (
        <div key={name}><dt>{name}</dt><dd>{value}</dd></div>
      ))}
    </dl>
  );
}

export const Manifest = ({ text }: { text: string }) => (
  <details class="manifest"><summary>Manifest</summary><pre tabIndex={0}>{text}</pre></details>
);
