// All about a disruption budget: how much is left of it, the pods that it covers, and who hit them.
import { podKey } from "./cluster";
import { entryOf } from "./disruptions";
import { count } from "./format";
import { Entries, Facts, Manifest, OwnerLink, PodName, useAnswer } from "./parts";
import { budgetLink, nodeLink } from "./routes";
import type { BudgetPage, Disruption, Pod } from "./shapes";
import { useStore } from "./store";
import { SortedTable } from "./table";

const HITS_SHOWN = 200;

export function BudgetView({ namespace, name }: { namespace: string; name: string }) {
  const { cluster, disruptions } = useStore().history!;
  const budget = cluster.budgets.get(`${namespace}/${name}`);
  const { answer, problem } = useAnswer<BudgetPage>(budgetLink({ namespace, name }).slice(2), JSON.stringify(budget));
  const pods = (answer?.pods ?? []).flatMap((uid) => cluster.pods.get(uid) ?? []);
  const hits = disruptions.filter(({ budgets }) => budgets.some((one) => one.name === name && one.namespace === namespace));
  return (
    <div class="page">
      <h1 tabIndex={-1}>{name} <small>disruption budget in {namespace}</small></h1>
      {budget ? (
        <Facts facts={[
          ["Disruptions left", <span class={budget.allowed > 0 ? "good" : "bad"}>{count(budget.allowed)}</span>],
          ["Healthy", `${count(budget.healthy)} of ${count(budget.expected)}`], ["Needed", count(budget.desired)],
        ]} />
      ) : <p class="faint">It isn't there at the time that is shown.</p>}
      {problem && <p class="bad" role="alert">{problem}</p>}
      {hits.length > 0 && <><h2>Disruptions of its pods</h2><Entries entries={hits.map((hit) => hitOf(hit, name))} linesMax={HITS_SHOWN} /></>}
      {pods.length > 0 && <><h2>Pods that it covers</h2><Covered pods={pods} /></>}
      {answer && answer.history.length > 0 && <><h2>What happened to it</h2><Entries isOfOne entries={[...answer.history].reverse()} /></>}
      {answer && <Manifest text={answer.manifest} />}
    </div>
  );
}

// What became of a pod that it covered, and whether anything was left of it then.
function hitOf(hit: Disruption, name: string) {
  const { allowed } = hit.budgets.find((one) => one.name === name)!;
  return { ...entryOf(hit), text: `${allowed > 0 ? `with ${count(allowed)} left` : "with none left, a violation"}: ${hit.clause}` };
}

const Covered = ({ pods }: { pods: Pod[] }) => (
  <SortedTable label="Pods that it covers" rows={pods} columns={[
    { title: "Pod", value: podKey, cell: (pod) => <PodName pod={pod} /> },
    { title: "Priority", value: (pod) => pod.priority },
    { title: "State", value: (pod) => pod.state, tone: (pod) => (pod.state === "terminating" ? "bad" : "") },
    { title: "Node", value: (pod) => pod.node, cell: (pod) => pod.node && <a href={nodeLink(pod.node)}>{pod.node}</a> },
    { title: "Belongs to", value: (pod) => pod.owner, cell: (pod) => <OwnerLink {...pod} /> },
  ]} />
);
