// Paste manifests, see the plan, then apply them.
import { useEffect, useState } from "preact/hooks";
import { get, post } from "./connection";
import { Told } from "./presentation";
import type { Applied, Form, FormField, PlanPage } from "./shapes";
import { useStore } from "./store";

// What is kept while another page is shown; the administrator's token lives nowhere else.
const kept = {
  manifests: "", options: {} as Record<string, string>, planned: "", plan: null as PlanPage | null, token: "",
};

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
  const [form, setForm] = useState<Form>({ properties: {} });
  useEffect(() => { if (view.canPlan) get<Form>("plan").then(setForm, () => {}); }, [view.canPlan]);
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
    change({ plan: await post<PlanPage>(`plan?${asQuery(form)}`, manifests), planned: manifests });
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
      {view.canPlan && (
        <details class="options">
          <summary>Options</summary>
          {Object.entries(form.properties).map(([name, field]) => (
            <OptionField key={name} name={name} field={field}
              onChange={(value) => change({ options: { ...kept.options, [name]: value } })} />
          ))}
        </details>
      )}
      <p>
        <button class="primary" disabled={!view.canPlan || isBusy || !(kept.manifests.trim() || asQuery(form))} onClick={plan}>Plan</button>{" "}
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
              <small>in the file <code>tokens/admin</code> of the data directory</small>
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

// What isn't given has its default; of several values each has a line.
function asQuery(form: Form): string {
  const query = new URLSearchParams();
  for (const [name, field] of Object.entries(form.properties)) {
    const value = (kept.options[name] ?? "").trim();
    const values = takesSeveral(field) ? value.split(/\s*\n\s*/) : [value];
    values.filter(Boolean).forEach((one) => query.append(name, one));
  }
  return query.toString();
}

function takesSeveral(field: FormField): boolean { return Array.isArray(field.type) && field.type.includes("array"); }

function OptionField({ name, field, onChange }: { name: string; field: FormField; onChange: (value: string) => void }) {
  const value = kept.options[name] ?? "";
  const shown = { id: `option-${name}`, value, placeholder: String(field.default ?? "") };
  return (
    <p>
      <label for={shown.id}>{name.replaceAll("_", " ")}</label>{" "}
      {field.type === "boolean" ? (
        <input id={shown.id} type="checkbox" checked={value === "true"}
          onChange={(event) => onChange(event.currentTarget.checked ? "true" : "")} />
      ) : field.enum ? (
        <select {...shown} onChange={(event) => onChange(event.currentTarget.value)}>
          {["", ...field.enum].map((one) => <option value={one}>{one || shown.placeholder}</option>)}
        </select>
      ) : takesSeveral(field) ? (
        <textarea {...shown} rows={1} onInput={(event) => onChange(event.currentTarget.value)} />
      ) : (
        <input {...shown} type={field.minimum === undefined ? "text" : "number"} min={field.minimum} step="any"
          onInput={(event) => onChange(event.currentTarget.value)} />
      )}{" "}
      <small>{field.description}</small>
    </p>
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
