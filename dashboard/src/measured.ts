// What nodes use, asked for again and again while something shows it.
import { useEffect } from "preact/hooks";
import { get } from "./connection";
import type { NodeUsage } from "./shapes";
import { useStore, store } from "./store";
import type { Used } from "./usage";

const EVERY_MS = 15_000;

export function useMeasured(): Used {
  const { history } = useStore();
  useEffect(() => {
    if (!history?.view.live) return;
    const ask = () => void get<NodeUsage>("usage").then(({ nodes, cpu, memory }) => {
      history.measured = new Map(nodes.map((name, at) => [name, { cpu: cpu[at]!, memory: memory[at]! }]));
      store.changed();
      // A server that doesn't answer is told of elsewhere.
    }, () => undefined);
    ask();
    const asking = setInterval(ask, EVERY_MS);
    return () => clearInterval(asking);
  }, [history]);
  return history!.used;
}
