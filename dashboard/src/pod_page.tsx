// All about a pod: what it is, the whole decision about it, and what happened to it.
import { podKey } from "./cluster";
import { Claims } from "./devices";
import { entryOf } from "./disruptions";
import { count, elapsed, several, wallTime } from "./format";
import { laidOf } from "./history";
import { BudgetLeft, Entries, Facts, Manifest, OwnerLink, PodLink, Swatch, useAnswer } from "./parts";
import { usePalette } from "./palette";
import { Told } from "./presentation";
import { nodeLink, podLink } from "./routes";
import type { Disruption, NodePage, PodPage } from "./shapes";
import { useStore } from "./store";
import { SortedTable, type Column } from "./table";
import { amountsIn } from "./usage";

export function PodView({ namespace, name }: { namespace: string; name: string }) {
  const history = useStore().history!;
  const { cluster, disruptions, follows } = history;
  const palette = usePalette();
  const key = `${namespace}/${name}`;
  const now = [...cluster.pods.values()].find((one) => podKey(one) === key);
  const ends = disruptions.filter(({ pod }) => pod.name === name && pod.namespace === namespace);
  const victims = disruptions.filter(({ preemptor }) => preemptor === key);
  const [replaced] = disruptions.filter(({ replacement }) => replacement === key);
  // A pod that is gone is shown as it was when it began to go.
  const pod = now ?? ends[0]?.pod;
  // Its page is fetched anew when something about it changes.
  const { answer, problem } = useAnswer<PodPage>(podLink({ namespace, name }).slice(2), JSON.stringify([now, ends.length, victims.length]));
  const place = useAnswer<NodePage>(now?.node ? nodeLink(now.node).slice(2) : "", JSON.stringify(now)).answer;
  const isGone = !now && follows && ends.length > 0;
  const past = answer ? [...laidOf(answer.history), ...ends.map(entryOf)].sort((a, b) => b.atS - a.atS) : [];
  return (
    <div class="page">
      <h1 tabIndex={-1}>{name} <small>pod in {namespace}</small></h1>
      {!now && <p class={isGone ? "bad" : "faint"}>{isGone ? goneText(ends[0]!) : "It isn't there at the time that is shown."}</p>}
      {pod && (
        <Facts facts={[
          ["Priority", <><Swatch colour={palette.ofPod(pod)} /> {count(pod.priority)} <span class="faint">{pod.priorityClass || "no class"}</span></>],
          ["State", now && `${now.state}${now.queue && `, ${now.queue}`}`],
          [now ? "Node" : "Was on", pod.node && <a href={nodeLink(pod.node)}>{pod.node}</a>],
          ["Nominated to", !pod.node && pod.nominatedNode && <a href={nodeLink(pod.nominatedNode)}>{pod.nominatedNode}</a>],
          ["Requests", amountsIn(pod.requests) || "nothing"],
          ["Uses", place && amountsIn(place.usage[key] ?? {})],
          ["Belongs to", pod.owner && <OwnerLink {...pod} />],
          ["In place of", replaced && <PodLink pod={podKey(replaced.pod)} />],
          ["Message", now && now.message],
        ]} />
      )}
      {answer && <Claims claims={answer.claims} isPending={!pod?.node} />}
      {ends.length > 0 && <Ends disruptions={ends} />}
      {victims.length > 0 && <Victims victims={victims} />}
      {problem && !ends.length && !victims.length && <p class="bad" role="alert">{problem}</p>}
      {answer ? (
        <>
          {answer.preemption && <><h2>The preemption, as it was decided</h2><Told presentation={answer.preemption} isOpen /></>}
          {answer.explanation && (
            <><h2>{answer.preemption ? "The decision as it would be now" : "The decision"}</h2><Told presentation={answer.explanation} /></>
          )}
          {answer.problem && !ends.length && <p class="faint">{answer.problem}</p>}
          <h2>What happened to it</h2>
          {past.length ? <Entries isOfOne entries={past} /> : <p class="faint">Nothing yet.</p>}
          {answer.manifest && <Manifest text={answer.manifest} />}
        </>
      ) : !problem && <p class="faint" role="status">Asking…</p>}
    </div>
  );
}

const goneText = ({ replacement, ownerUid }: Disruption) =>
  replacement ? `It is gone, and replaced by ${replacement}.` : ownerUid ? "It is gone, and not replaced yet." : "It is gone for good, as nothing owns it.";

// How a pod went, who took its place, and what its budgets had left.
function Ends({ disruptions }: { disruptions: Disruption[] }) {
  const { view: { clock }, lastS } = useStore().history!;
  return (
    <section class="ends">
      <h2>{several(disruptions.length, "disruption")}</h2>
      {disruptions.map((one) => (
        <div key={one.number}>
          <Facts facts={[
            ["When", `${wallTime(clock, one.atS, lastS)} UTC, ${elapsed(lastS - one.atS)} ago`],
            ["How", <b class="bad">{one.clause}</b>],
            ["By", one.preemptor && <PodLink pod={one.preemptor} />],
            ["Budgets", one.budgets.length ? one.budgets.map((budget) => <BudgetLeft key={budget.name} budget={budget} />) : "none"],
            ["Replaced by", one.replacement ? <PodLink pod={one.replacement} /> : one.ownerUid ? "nothing yet" : "nothing, as nothing owns it"],
            ["Says", one.message],
          ]} />
          {one.preemptor && one.preemptorRequests && <Rivals preemption={one} />}
        </div>
      ))}
    </section>
  );
}

// A victim and its preemptor, as they were then.
const Rivals = ({ preemption: { pod, preemptor, preemptorPriority, preemptorRequests } }: { preemption: Disruption }) => (
  <SortedTable label="Victim and preemptor" columns={RIVALS} rows={[
    { pod: podKey(pod), priority: pod.priority, requests: pod.requests },
    { pod: preemptor, priority: preemptorPriority, requests: preemptorRequests },
  ]} />
);

const RIVALS: Column<{ pod: string; priority: number; requests: Record<string, number> }>[] = [
  { title: "Victim and preemptor", value: (one) => one.pod },
  { title: "Priority", value: (one) => one.priority },
  { title: "Requests", value: (one) => amountsIn(one.requests) || "nothing" },
];

const fateOf = ({ pod, replacement }: Disruption) => `from ${pod.node}, ${replacement ? `replaced by ${replacement}` : "not replaced"}`;

// The pods that a pod has preempted.
const Victims = ({ victims }: { victims: Disruption[] }) => (
  <section class="victims">
    <h2>What it preempted</h2>
    <Entries entries={victims.map((one) => ({ ...entryOf(one), text: fateOf(one), preemptor: "" }))} />
  </section>
);
