// All about a pod: what it is, the whole decision about it, and what happened to it.
import { podKey } from "./cluster";
import { count } from "./format";
import { Entries, Facts, Manifest, Swatch, useAnswer } from "./parts";
import { usePalette } from "./palette";
import { Told } from "./presentation";
import { nodeLink, podLink } from "./routes";
import type { PodPage } from "./shapes";
import { useStore } from "./store";
import { requestsOf } from "./usage";

export function PodView({ namespace, name }: { namespace: string; name: string }) {
  const { cluster } = useStore().history!;
  const palette = usePalette();
  const key = `${namespace}/${name}`;
  const pod = [...cluster.pods.values()].find((one) => podKey(one) === key);
  // Its page is fetched anew when something about it changes.
  const { answer, problem } = useAnswer<PodPage>(podLink({ namespace, name }).slice(2), JSON.stringify(pod));
  return (
    <div class="page">
      <h1 tabIndex={-1}>{name} <small>pod in {namespace}</small></h1>
      {pod ? (
        <Facts facts={[
          ["Priority", <><Swatch colour={palette.ofPod(pod)} /> {count(pod.priority)} <span class="faint">{pod.priorityClass || "no class"}</span></>],
          ["State", `${pod.state}${pod.queue && `, ${pod.queue}`}`],
          ["Node", pod.node && <a href={nodeLink(pod.node)}>{pod.node}</a>],
          ["Nominated to", !pod.node && pod.nominatedNode && <a href={nodeLink(pod.nominatedNode)}>{pod.nominatedNode}</a>],
          ["Requests", requestsOf(pod) || "nothing"],
          ["Belongs to", pod.owner],
          ["Message", pod.message],
        ]} />
      ) : <p class="faint">It isn't there at the time that is shown.</p>}
      {problem && <p class="bad" role="alert">{problem}</p>}
      {answer ? (
        <>
          {answer.preemption && <><h2>The preemption, as it was decided</h2><Told presentation={answer.preemption} isOpen /></>}
          <h2>{answer.preemption ? "The decision as it would be now" : "The decision"}</h2>
          {answer.explanation && <Told presentation={answer.explanation} />}
          {answer.problem && <p class="faint">{answer.problem}</p>}
          <h2>What happened to it</h2>
          {answer.history.length ? <Entries isOfOne entries={[...answer.history].reverse()} /> : <p class="faint">Nothing yet.</p>}
          {answer.manifest && <Manifest text={answer.manifest} />}
        </>
      ) : !problem && <p class="faint" role="status">Asking…</p>}
    </div>
  );
}
