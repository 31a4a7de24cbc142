// Finds pods and nodes by name, also pods that are gone.
import { useState } from "preact/hooks";
import { podKey } from "./cluster";
import { entryOf } from "./disruptions";
import { wallTime } from "./format";
import type { History } from "./history";
import { wordOf } from "./parts";
import { nodeLink, open, podLink } from "./routes";
import { useStore } from "./store";

const RESULTS_MAX = 12;

interface Result { name: string; what: string; link: string }

function find({ cluster, disruptions, view: { clock }, lastS }: History, words: string): Result[] {
  const wanted = words.trim().toLowerCase();
  const results: Result[] = [];
  if (!wanted) return results;
  for (const node of cluster.nodes.values()) {
    if (results.length === RESULTS_MAX / 2) break;
    if (node.name.toLowerCase().includes(wanted)) results.push({ name: node.name, what: "node", link: nodeLink(node.name) });
  }
  for (const pod of cluster.pods.values()) {
    if (results.length === RESULTS_MAX) break;
    if (podKey(pod).toLowerCase().includes(wanted)) results.push({ name: podKey(pod), what: pod.node || pod.queue || "pod", link: podLink(pod) });
  }
  const seen = new Set(results.map(({ link }) => link));
  for (let at = disruptions.all.length - 1; at >= 0 && results.length < RESULTS_MAX; at--) {
    const one = disruptions.all[at]!;
    const link = podLink(one.pod);
    if (!podKey(one.pod).toLowerCase().includes(wanted) || seen.has(link)) continue;
    seen.add(link);
    results.push({ name: podKey(one.pod), what: `${wordOf(entryOf(one))} ${wallTime(clock, one.atS, lastS)}`, link });
  }
  return results;
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
      <input id="search" type="search" role="combobox" placeholder="Find a pod or node   /" aria-label="Find a pod or node" autocomplete="off"
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
