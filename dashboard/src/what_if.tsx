// Paste manifests, see the plan, then apply them.
import { useState } from "preact/hooks";
import { post } from "./connection";
import { Told } from "./presentation";
import type { Applied, PlanPage } from "./shapes";
import { useStore } from "./store";

// What is kept while another page is shown; the administrator's token lives nowhere else.
const kept = { manifests: "", planned: "", plan: null as PlanPage | null, token: "" };

const EXAMPLE = `apiVersion: v1
kind: Pod
metadata: {name: what-if}
spec:
  priorityClassName: …
  containers:
    - {name: main, image: …, resources: {requests: {cpu: 500m, memory: 256Mi}}}`;

export function WhatIf() {
  const { view } = useStore().history!;
  const [, draw] = useState(0);
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState("");
  const [applied, setApplied] = useState<Applied[] | null>(null);
  const change = (changed: Partial<typeof kept>) => { Object.assign(kept, changed); draw((drawn) => drawn + 1); };
  const ask = async (question: () => Promise<void>) => {
    setBusy(true);
    setProblem("");
    setApplied(null);
    try {
      await question();
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error));
    }
    setBusy(false);
  };
  const plan = () => ask(async () => {
    const manifests = kept.manifests;
    change({ plan: null });
    change({ plan: await post<PlanPage>("plan", manifests), planned: manifests });
  });
  const apply = (event: Event) => {
    event.preventDefault();
    ask(async () => {
      setApplied(await post<Applied[]>("apply", kept.planned, kept.token));
      change({ plan: null });
    });
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) plan();
  };
  const isPlanned = kept.plan !== null && kept.manifests === kept.planned;
  return (
    <div class="page what-if">
      <h1 tabIndex={-1}>What if <small>what applying manifests would do now; nothing changes until you apply them</small></h1>
      {!view.canPlan && <p class="faint">Plans can't be made here.</p>}
      <textarea aria-label="Manifests" placeholder={EXAMPLE} rows={14} spellcheck={false} value={kept.manifests}
        disabled={!view.canPlan} onKeyDown={onKeyDown}
        onInput={(event) => change({ manifests: event.currentTarget.value })} />
      <p>
        <button class="primary" disabled={!view.canPlan || isBusy || !kept.manifests.trim()} onClick={plan}>Plan</button>{" "}
        <span class="faint">Ctrl-Enter</span>{" "}
        {isBusy && <span role="status">Working…</span>}
      </p>
      {problem && <pre class="problem" role="alert">{problem}</pre>}
      {applied && <Results applied={applied} />}
      {kept.plan && (
        <>
          {view.canApply && (
            <form class="apply" onSubmit={apply}>
              <label>Administrator's token <input type="password" autocomplete="off" required value={kept.token}
                onInput={(event) => change({ token: event.currentTarget.value })} /></label>
              <button class="danger" disabled={isBusy || !isPlanned || !kept.token}>Apply</button>
              {!isPlanned && <span class="faint">The manifests have changed: plan them again.</span>}
            </form>
          )}
          <Told presentation={kept.plan.presentation} />
        </>
      )}
    </div>
  );
}

function Results({ applied }: { applied: Applied[] }) {
  return (
    <table class="applied" aria-label="Applied">
      <thead><tr><th>Object</th><th>Result</th></tr></thead>
      <tbody>
        {applied.map((one) => (
          <tr><th scope="row">{one.object}</th><td class={one.problem ? "bad" : "good"}>{one.problem ? `✕ ${one.problem}` : one.result}</td></tr>
        ))}
      </tbody>
    </table>
  );
}
