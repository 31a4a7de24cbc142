"""The options of `podium scheduler`; where kube-scheduler has them, by its names."""

from typing import Annotated

import typer

from podium.real.logs import LogFormat, LogLevel

ConfigOption = Annotated[
    str | None,
    typer.Option("--config", metavar="FILE", help="A KubeSchedulerConfiguration (v1)."),
]
LeaderElectOption = Annotated[
    bool | None,
    typer.Option(
        "--leader-elect/--no-leader-elect",
        help="Whether to schedule only while holding the lease; yes, if nobody says otherwise.",
        show_default=False,
    ),
]
LeaseDurationOption = Annotated[
    str | None,
    typer.Option(
        "--leader-elect-lease-duration",
        metavar="DURATION",
        help="How long others leave a lease alone that isn't renewed; 15s.",
    ),
]
RenewDeadlineOption = Annotated[
    str | None,
    typer.Option(
        "--leader-elect-renew-deadline",
        metavar="DURATION",
        help="How long the leader tries to renew before it gives up; 10s.",
    ),
]
RetryPeriodOption = Annotated[
    str | None,
    typer.Option("--leader-elect-retry-period", metavar="DURATION", help="Between two tries; 2s."),
]
ResourceNameOption = Annotated[
    str | None,
    typer.Option(
        "--leader-elect-resource-name",
        metavar="NAME",
        help="The Lease; kube-scheduler, which kube-scheduler itself has, too.",
    ),
]
ResourceNamespaceOption = Annotated[
    str | None,
    typer.Option(
        "--leader-elect-resource-namespace", metavar="NAMESPACE", help="Its; kube-system."
    ),
]
QpsOption = Annotated[
    float | None,
    typer.Option(
        "--kube-api-qps",
        metavar="N",
        help="Requests a second in the long run; 50, as kube-scheduler's; -1 for no limit.",
    ),
]
BurstOption = Annotated[
    int | None,
    typer.Option("--kube-api-burst", metavar="N", min=1, help="Requests at once; 100."),
]
DryRunOption = Annotated[
    bool,
    typer.Option(
        "--dry-run",
        help="Schedule nothing: say of each pod that another scheduler places what it would do.",
    ),
]
WatchTimeoutOption = Annotated[
    float,
    typer.Option(
        "--watch-timeout",
        metavar="SECONDS",
        min=1,
        help="After how long a watch that tells nothing is taken for dead.",
    ),
]
AddressOption = Annotated[
    str,
    typer.Option("--bind-address", metavar="ADDRESS", help="Where metrics and probes are served."),
]
PortOption = Annotated[
    int,
    typer.Option(
        "--metrics-port", metavar="PORT", min=0, max=65535, help="At which; 0 for any free one."
    ),
]
DashboardPortOption = Annotated[
    int | None,
    typer.Option(
        "--dashboard-port",
        metavar="PORT",
        min=0,
        max=65535,
        help="Where a dashboard is served, to this machine alone; 0 for any free one. Prints the "
        "link. None unless given.",
    ),
]
LogLevelOption = Annotated[LogLevel, typer.Option("--log-level", help="The least that is logged.")]
LogFormatOption = Annotated[LogFormat, typer.Option("--log-format", help="How lines are written.")]
