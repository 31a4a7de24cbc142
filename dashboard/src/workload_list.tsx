// The workloads, the worst first, and a word about those that are down before all else.
import { workloadKey, type Cluster } from "./cluster";
import { count } from "./format";
import type { History } from "./history";
import { PodLink } from "./parts";
import { budgetLink, workloadLink, workloadsLink } from "./routes";
import type { Disruption, Workload } from "./shapes";
import { useStore } from "./store";
import { SortedTable, type Column } from "./table";
import { briefly, budgetsOf, byStanding, downText, lostLately, reasonsOf, signedOf, standingsOf, toneOf, waitsOf, type Stood } from "./workloads";

const NAMED = 4;

const WorkloadName = ({ workload }: { workload: Workload }) => (
  <a href={workloadLink(workload)} aria-label={workloadKey(workload)}>{workload.kind}/{workload.name} <small>{workload.namespace}</small></a>
);

// Above the picture, while something is down or has fewer pods than its budget wants.
export function WorkloadsDown() {
  const all = standingsOf(useStore().history!.cluster);
  const of = (which: Stood["standing"]) => all.filter(({ standing }) => standing === which);
  const [down, below] = [of("down"), of("below budget")];
  const worst = byStanding([...down, ...below]);
  return worst.length > 0 && (
    <p class="down">
      <b class="bad">✕ {downText(down.length, below.length)}</b>
      {worst.slice(0, NAMED).map(({ workload }) => <WorkloadName key={workloadKey(workload)} workload={workload} />)}
      {worst.length > NAMED && <a href={workloadsLink()}>{count(worst.length - NAMED)} more</a>}
    </p>
  );
}

export function WorkloadList({ namespace }: { namespace: string }) {
  const history = useStore().history!;
  const all = byStanding(standingsOf(history.cluster).filter(({ workload }) => !namespace || workload.namespace === namespace));
  return (
    <div class="page">
      <h1 tabIndex={-1}>Workloads <small>{namespace && `in ${namespace}, `}the worst first</small></h1>
      {namespace && <p><a href={workloadsLink()}>All namespaces</a></p>}
      {all.length ? <SortedTable label="Workloads" className="workloads" rows={all} columns={columnsOf(history)} />
        : <p class="faint">There are none: no pod has a controller.</p>}
    </div>
  );
}

function columnsOf(history: History): Column<Stood>[] {
  const { cluster } = history;
  const lost = lostLately(history);
  return [
    { title: "Workload", value: ({ workload }) => `${workload.kind}/${workload.name} ${workload.namespace}`,
      cell: ({ workload }) => <WorkloadName workload={workload} /> },
    { title: "State", value: ({ standing }) => standing, tone: ({ standing }) => toneOf(standing), cell: ({ standing }) => signedOf(standing) },
    { title: "Ready", value: ({ workload: { ready, desired } }) => (desired ? ready / desired : 1),
      cell: ({ workload: { ready, desired } }) => `${count(ready)} / ${count(desired)}` },
    { title: "Budget", value: ({ workload }) => workload.budgets.join(", "),
      cell: ({ workload }) => budgetsOf(workload, cluster).map((budget) => (
        <div key={budget.name}><a href={budgetLink(budget)}>{budget.name}</a> <span class={budget.allowed ? "" : "bad"}>{count(budget.allowed)} left</span></div>
      )) },
    { title: "Why", value: ({ workload }) => reasonsOf(workload, cluster).join(", ") || (lostOf(workload, lost).length ? "disrupted" : ""),
      cell: ({ workload }) => <Why workload={workload} cluster={cluster} lost={lostOf(workload, lost)} /> },
  ];
}

const lostOf = (workload: Workload, lost: Map<string, Disruption[]>) =>
  (workload.ready < workload.desired ? lost.get(workloadKey(workload)) ?? [] : []);

// What its pods do, why most of them wait, and who disrupted the last of them.
function Why({ workload, cluster, lost }: { workload: Workload; cluster: Cluster; lost: Disruption[] }) {
  const [last] = lost;
  return (
    <>
      {reasonsOf(workload, cluster).join(", ")}
      {workload.pending > 0 && <small> {briefly(waitsOf(cluster, workloadKey(workload))[0]?.[0] ?? "")}</small>}
      {last && <div><small>{count(lost.length)} {last.group} lately{last.preemptor && <>, by <PodLink pod={last.preemptor} /></>}</small></div>}
    </>
  );
}

