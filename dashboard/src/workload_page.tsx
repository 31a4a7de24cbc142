// All about a workload: what it lacks and why, its pods, those that are gone, and what its budgets have left.
import { ownerKey, podKey } from "./cluster";
import { entryOf } from "./disruptions";
import { count, several } from "./format";
import { laidOf } from "./history";
import { BudgetLeft, Entries, Facts, Manifest, PodLink, PodName, useAnswer, wordOf } from "./parts";
import { Told } from "./presentation";
import { nodeLink, podLink, workloadLink, workloadsLink } from "./routes";
import type { Pod, PodPage, WorkloadPage } from "./shapes";
import { useStore } from "./store";
import { SortedTable } from "./table";
import { budgetsOf, reasonsOf, signedOf, standingOf, toneOf, waitsOf, type Standing } from "./workloads";

const GONE_SHOWN = 200;

// Those that aren't well stand first.
const STATES: Pod["state"][] = ["pending", "unready", "bound", "terminating", "running", "finished"];

export function WorkloadView({ namespace, kind, name }: { namespace: string; kind: string; name: string }) {
  const { cluster, disruptions } = useStore().history!;
  const key = `${namespace}/${kind}/${name}`;
  const workload = cluster.workloads.get(key);
  const budgets = workload ? budgetsOf(workload, cluster) : [];
  const pods = [...cluster.podsOf(key)].sort((a, b) => STATES.indexOf(a.state) - STATES.indexOf(b.state) || (a.name < b.name ? -1 : 1));
  const gone = disruptions.filter(({ pod }) => ownerKey(pod) === key);
  const { answer, problem } = useAnswer<WorkloadPage>(workloadLink({ namespace, kind, name }).slice(2), JSON.stringify([workload, gone.length]));
  return (
    <div class="page">
      <h1 tabIndex={-1}>{name} <small>{kind} in <a href={workloadsLink(namespace)}>{namespace}</a></small></h1>
      {workload ? (
        <Facts facts={[
          ["State", <State standing={standingOf(workload, cluster)} />],
          ["Ready", `${count(workload.ready)} of ${count(workload.desired)}`],
          ["Why", reasonsOf(workload, cluster).join(", ")],
          ["Lately", gone[0] && <span>{several(gone.length, "disruption")}, the last {wordOf(entryOf(gone[0]))}{gone[0].preemptor && <> by <PodLink pod={gone[0].preemptor} /></>}</span>],
          ["Budgets", budgets.length > 0 && budgets.map((budget) => <BudgetLeft key={budget.name} budget={budget} />)],
        ]} />
      ) : <p class="faint">It isn't there at the time that is shown.</p>}
      {problem && <p class="bad" role="alert">{problem}</p>}
      <Waits pods={pods} waits={waitsOf(cluster, key)} namespace={namespace} />
      {pods.length > 0 && <><h2>Its pods</h2><Pods pods={pods} /></>}
      {gone.length > 0 && <><h2>Gone lately</h2><Entries entries={gone.map(entryOf)} linesMax={GONE_SHOWN} /></>}
      {answer && answer.history.length > 0 && <><h2>What happened to it</h2><Entries isOfOne entries={laidOf(answer.history).reverse()} /></>}
      {answer?.manifest && <Manifest text={answer.manifest} />}
    </div>
  );
}

const State = ({ standing }: { standing: Standing }) =>
  <span class={toneOf(standing)}>{signedOf(standing)}</span>;

// Why pods wait: each reason once, and the whole decision about the first pod.
function Waits({ pods, waits, namespace }: { pods: Pod[]; waits: [string, string[]][]; namespace: string }) {
  const first = waits[0]?.[1][0];
  const pod = pods.find((one) => one.name === first);
  const { answer, problem } = useAnswer<PodPage>(pod ? podLink(pod).slice(2) : "", JSON.stringify(pod));
  if (!pod) return null;
  return (
    <>
      <h2>Why its pods wait</h2>
      <ul>
        {waits.map(([why, names]) => (
          <li key={why}>
            {why} <small><PodLink pod={`${namespace}/${names[0]}`} within={namespace} />{names.length > 1 && ` and ${several(names.length - 1, "other")}`}</small>
          </li>
        ))}
      </ul>
      {!answer && !problem && <p class="faint" role="status">Asking for the decision…</p>}
      {answer?.explanation && <Told presentation={{ ...answer.explanation, headline: "" }} />}
    </>
  );
}

const Pods = ({ pods }: { pods: Pod[] }) => (
  <SortedTable label="Its pods" rows={pods} columns={[
    { title: "Pod", value: podKey, cell: (pod) => <PodName pod={pod} /> },
    { title: "State", value: (pod) => pod.state, tone: (pod) => (pod.state === "running" || pod.state === "finished" ? "" : "bad") },
    { title: "Node", value: (pod) => pod.node || pod.nominatedNode,
      cell: (pod) => (pod.node ? <a href={nodeLink(pod.node)}>{pod.node}</a> : pod.nominatedNode && `nominated to ${pod.nominatedNode}`) },
    { title: "Priority", value: (pod) => pod.priority },
    // Why it waits is said above.
    { title: "Says", value: (pod) => (pod.state === "pending" ? "" : pod.message) },
  ]} />
);
