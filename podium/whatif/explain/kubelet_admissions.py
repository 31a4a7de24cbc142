"""The decisions of nodes about pods that name them."""

from podium.api.documents.pod_report import pod_facts
from podium.api.objects import Object, status_of, uid
from podium.api.pods import is_finished, node_name_of
from podium.api.qos import stored_or_computed_qos
from podium.cluster.virtual import Cluster
from podium.cluster.virtual.loading.overdue_pods import is_silent
from podium.kubelet.kubelets import Kubelets
from podium.kubelet.pod_status import REJECTED
from podium.whatif.explain.explanation import KubeletAdmission, StoppedPod


def was_refused(pod: Object) -> bool:
    """Whether a pod's node didn't take it."""
    message = str(status_of(pod).get("message") or "")
    return is_finished(pod) and message.startswith(REJECTED)


def kubelet_admission(cluster: Cluster, pod: Object) -> KubeletAdmission:
    """What the node that a pod names has decided about it."""
    called, status = node_name_of(pod), status_of(pod)
    if was_refused(pod):
        message = str(status["message"]).removeprefix(REJECTED)
        return KubeletAdmission(
            node=called, is_admitted=False, reason=status["reason"], message=message
        )
    if cluster.store.get("Node", "", called) is None:
        why = f"node {called} isn't there: nobody starts it"
        return KubeletAdmission(node=called, is_admitted=False, message=why)
    if is_silent(cluster.store, called):
        why = f"node {called} doesn't answer: nobody starts it before it does"
        return KubeletAdmission(node=called, is_admitted=False, message=why)
    machine = None if cluster.kubelets is None else cluster.kubelets.machine
    kubelet = machine.kubelets.get(called) if isinstance(machine, Kubelets) else None
    worker = None if kubelet is None else kubelet.pods.get(uid(pod))
    stopped = () if worker is None else worker.stopped
    return KubeletAdmission(
        node=called,
        is_admitted=True,
        stopped=tuple(
            StoppedPod(**pod_facts(one), qos_class=stored_or_computed_qos(one)) for one in stopped
        ),
    )
