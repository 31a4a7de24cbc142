// The devices that a node reaches with the pods that have them, and the claims of a pod.
import { Breakable } from "./names";
import { PodLink } from "./parts";
import type { Claim, Device, DeviceUse } from "./shapes";
import { useStore } from "./store";
import { SortedTable, type Column } from "./table";

// A run that is over tells of its end, whatever moment is shown.
const useMoment = () => (useStore().history!.view.live ? null : <small>in the end</small>);

export function NodeDevices({ devices, faults }: { devices: Device[]; faults: string[] }) {
  const moment = useMoment();
  if (!devices.length && !faults.length) return null;
  return (
    <>
      <h2>Devices {moment}</h2>
      {faults.map((fault) => <p class="bad"><Breakable text={fault} /></p>)}
      {devices.length > 0 && <SortedTable label="Devices" rows={devices} columns={COLUMNS} />}
    </>
  );
}

const COLUMNS: Column<Device>[] = [
  { title: "Device", value: (one) => one.device },
  { title: "Pool", value: (one) => one.pool, cell: (one) => <Breakable text={one.pool} /> },
  { title: "Attributes", value: (one) => one.attributes },
  { title: "Taints", value: (one) => one.taints.join(", "), tone: () => "waiting", cell: (one) => one.taints.length > 0 ? <Breakable text={one.taints.join(", ")} /> : "" },
  { title: "Left", value: (one) => one.left },
  { title: "State", value: (one) => one.state, tone: (one) => (one.state === "free" ? "good" : "") },
  { title: "Used by", value: (one) => one.uses.map(({ claim, pods }) => [...pods, claim].join(" ")).join(" "),
    cell: (one) => one.uses.length > 0 ? one.uses.map((use) => <Use use={use} />) : "" },
];

const Use = ({ use: { claim, pods, part } }: { use: DeviceUse }) => (
  <div>
    {pods.length ? pods.map((pod, index) => <>{index > 0 && ", "}<PodLink pod={pod} /></>) : "no pod"}
    {" "}<small>{part && `${part}, `}claim {claim.split("/")[1]}</small>
  </div>
);

export function Claims({ claims, isPending }: { claims: Claim[]; isPending: boolean }) {
  const moment = useMoment();
  if (!claims.length) return null;
  return (
    <>
      <h2>Claims {moment}</h2>
      <SortedTable label="Claims" rows={claims} columns={[
        { title: "Claim", value: (one) => one.name || "extended resources" },
        { title: "Object", value: (one) => one.claim || "not made yet", tone: (one) => (one.claim ? "" : "waiting") },
        { title: "Requests", value: (one) => one.requests.join(", "), cell: (one) => one.requests.map((text) => <div>{text}</div>) },
        { title: "Devices", value: (one) => one.devices.join(", ") || "none yet", tone: (one) => (one.devices.length || !isPending ? "" : "waiting"),
          cell: (one) => one.devices.length ? one.devices.map((text) => <div><Breakable text={text} /></div>) : "none yet" },
        { title: "Shared with", value: (one) => one.others.join(", "), cell: (one) => one.others.length > 0 ? one.others.map((pod) => <div><PodLink pod={pod} /></div>) : "" },
      ]} />
    </>
  );
}
