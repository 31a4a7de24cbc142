"""kube-apiserver's internal types of pods, taints and budgets: field by field, in v1.36's order.

A field is declared as `Title:type`, with its name in the API where that isn't simply the title in
the API's spelling (`Title=name:type`); a string needs no type. `*` marks what may be absent, `[]`
a list; `raw` stands for what is written as in the API. `+Type` takes in all fields of a type.
"""

from collections.abc import Mapping

_REQUIRED = "RequiredDuringSchedulingIgnoredDuringExecution"
_PREFERRED = "PreferredDuringSchedulingIgnoredDuringExecution"

_CONTAINER = """
    Name Image Command:[]string Args:[]string WorkingDir Ports:[]ContainerPort
    EnvFrom:[]EnvFromSource Env:[]EnvVar Resources:ResourceRequirements
    ResizePolicy:[]ContainerResizePolicy RestartPolicy:*string
    RestartPolicyRules:[]ContainerRestartRule VolumeMounts:[]VolumeMount
    VolumeDevices:[]VolumeDevice LivenessProbe:*Probe ReadinessProbe:*Probe StartupProbe:*Probe
    Lifecycle:*Lifecycle TerminationMessagePath TerminationMessagePolicy ImagePullPolicy
    SecurityContext:*SecurityContext Stdin:bool StdinOnce:bool TTY:bool
"""

_PODS: Mapping[str, str] = {
    "PodTemplateSpec": "+ObjectMeta Spec:PodSpec",
    "PodSpec": """
        Volumes:[]Volume InitContainers:[]Container Containers:[]Container
        EphemeralContainers:[]EphemeralContainer RestartPolicy TerminationGracePeriodSeconds:*int
        ActiveDeadlineSeconds:*int DNSPolicy NodeSelector:map ServiceAccountName
        AutomountServiceAccountToken:*bool NodeName SecurityContext:*PodSecurityContext
        ImagePullSecrets:[]LocalObjectReference Hostname Subdomain SetHostnameAsFQDN:*bool
        Affinity:*Affinity SchedulerName Tolerations:[]Toleration HostAliases:[]HostAlias
        PriorityClassName Priority:*int PreemptionPolicy:*string DNSConfig:*PodDNSConfig
        ReadinessGates:[]PodReadinessGate RuntimeClassName:*string Overhead:Quantities
        EnableServiceLinks:*bool TopologySpreadConstraints:[]TopologySpreadConstraint OS:*PodOS
        SchedulingGates:[]PodSchedulingGate ResourceClaims:[]PodResourceClaim
        Resources:*ResourceRequirements HostnameOverride:*string SchedulingGroup:*raw
    """,
    "PodSecurityContext": """
        HostNetwork:bool HostPID:bool HostIPC:bool ShareProcessNamespace:*bool HostUsers:*bool
        SELinuxOptions:*SELinuxOptions WindowsOptions:*WindowsSecurityContextOptions
        RunAsUser:*int RunAsGroup:*int RunAsNonRoot:*bool SupplementalGroups:[]int
        SupplementalGroupsPolicy:*string FSGroup:*int FSGroupChangePolicy:*string
        Sysctls:[]Sysctl SeccompProfile:*SecurityProfile AppArmorProfile:*SecurityProfile
        SELinuxChangePolicy:*string
    """,
    "HostAlias": "IP Hostnames:[]string",
    "PodDNSConfig": "Nameservers:[]string Searches:[]string Options:[]PodDNSConfigOption",
    "PodDNSConfigOption": "Name Value:*string",
    "PodReadinessGate": "ConditionType",
    "PodOS": "Name",
    "PodSchedulingGate": "Name",
    "PodResourceClaim": "Name ResourceClaimName:*string ResourceClaimTemplateName:*string",
    "Sysctl": "Name Value",
    "LocalObjectReference": "Name",
    "Toleration": "Key Operator Value Effect TolerationSeconds:*int",
    "TopologySpreadConstraint": """
        MaxSkew:int TopologyKey WhenUnsatisfiable LabelSelector:*LabelSelector MinDomains:*int
        NodeAffinityPolicy:*string NodeTaintsPolicy:*string MatchLabelKeys:[]string
    """,
    "Affinity": "NodeAffinity:*NodeAffinity PodAffinity:*PodAffinity PodAntiAffinity:*PodAffinity",
    "NodeAffinity": f"{_REQUIRED}:*NodeSelector {_PREFERRED}:[]PreferredSchedulingTerm",
    "NodeSelector": "NodeSelectorTerms:[]NodeSelectorTerm",
    "PreferredSchedulingTerm": "Weight:int Preference:NodeSelectorTerm",
    "NodeSelectorTerm": """
        MatchExpressions:[]NodeSelectorRequirement MatchFields:[]NodeSelectorRequirement
    """,
    "NodeSelectorRequirement": "Key Operator Values:[]string",
    "PodAffinity": f"{_REQUIRED}:[]PodAffinityTerm {_PREFERRED}:[]WeightedPodAffinityTerm",
    "WeightedPodAffinityTerm": "Weight:int PodAffinityTerm:PodAffinityTerm",
    "PodAffinityTerm": """
        LabelSelector:*LabelSelector Namespaces:[]string TopologyKey
        NamespaceSelector:*LabelSelector MatchLabelKeys:[]string MismatchLabelKeys:[]string
    """,
}

_CONTAINERS: Mapping[str, str] = {
    "Container": _CONTAINER,
    "EphemeralContainer": f"{_CONTAINER} TargetContainerName",
    "ContainerPort": "Name HostPort:int ContainerPort:int Protocol HostIP",
    "EnvFromSource": "Prefix ConfigMapRef:*NamedSource SecretRef:*NamedSource",
    "NamedSource": "Name Optional:*bool",
    "EnvVar": "Name Value ValueFrom:*EnvVarSource",
    "EnvVarSource": """
        FieldRef:*ObjectFieldSelector ResourceFieldRef:*ResourceFieldSelector
        ConfigMapKeyRef:*KeySelector SecretKeyRef:*KeySelector FileKeyRef:*FileKeySelector
    """,
    "ObjectFieldSelector": "APIVersion FieldPath",
    "ResourceFieldSelector": "ContainerName Resource Divisor:Quantity",
    "KeySelector": "Name Key Optional:*bool",
    "FileKeySelector": "VolumeName Path Key Optional:*bool",
    "ResourceRequirements": "Limits:Quantities Requests:Quantities Claims:[]ResourceClaim",
    "ResourceClaim": "Name Request",
    "ContainerResizePolicy": "ResourceName RestartPolicy",
    "ContainerRestartRule": "Action ExitCodes:*ContainerRestartRuleOnExitCodes",
    "ContainerRestartRuleOnExitCodes": "Operator Values:[]int",
    "VolumeMount": """
        Name ReadOnly:bool RecursiveReadOnly:*string MountPath SubPath MountPropagation:*string
        SubPathExpr
    """,
    "VolumeDevice": "Name DevicePath",
    "Probe": """
        Exec:*ExecAction HTTPGet:*HTTPGetAction TCPSocket:*TCPSocketAction GRPC:*GRPCAction
        InitialDelaySeconds:int TimeoutSeconds:int PeriodSeconds:int SuccessThreshold:int
        FailureThreshold:int TerminationGracePeriodSeconds:*int
    """,
    "ExecAction": "Command:[]string",
    "HTTPGetAction": "Path Port:raw Host Scheme HTTPHeaders:[]HTTPHeader",
    "HTTPHeader": "Name Value",
    "TCPSocketAction": "Port:raw Host",
    "GRPCAction": "Port:int Service:*string",
    "Lifecycle": "PostStart:*LifecycleHandler PreStop:*LifecycleHandler StopSignal:*string",
    "LifecycleHandler": """
        Exec:*ExecAction HTTPGet:*HTTPGetAction TCPSocket:*TCPSocketAction Sleep:*SleepAction
    """,
    "SleepAction": "Seconds:int",
    "SecurityContext": """
        Capabilities:*Capabilities Privileged:*bool SELinuxOptions:*SELinuxOptions
        WindowsOptions:*WindowsSecurityContextOptions RunAsUser:*int RunAsGroup:*int
        RunAsNonRoot:*bool ReadOnlyRootFilesystem:*bool AllowPrivilegeEscalation:*bool
        ProcMount:*string SeccompProfile:*SecurityProfile AppArmorProfile:*SecurityProfile
    """,
    "Capabilities": "Add:[]string Drop:[]string",
    "SELinuxOptions": "User Role Type Level",
    "WindowsSecurityContextOptions": """
        GMSACredentialSpecName:*string GMSACredentialSpec:*string RunAsUserName:*string
        HostProcess:*bool
    """,
    "SecurityProfile": "Type LocalhostProfile:*string",
}

_VOLUMES: Mapping[str, str] = {
    "Volume": """
        Name HostPath:*HostPath EmptyDir:*EmptyDir GCEPersistentDisk:*GCEPersistentDisk
        AWSElasticBlockStore:*AWSElasticBlockStore GitRepo:*GitRepo Secret:*Secret NFS:*NFS
        ISCSI:*ISCSI Glusterfs:*Glusterfs PersistentVolumeClaim:*ClaimSource RBD:*RBD
        Quobyte:*Quobyte FlexVolume:*FlexVolume Cinder:*Cinder CephFS=cephfs:*CephFS
        Flocker:*Flocker DownwardAPI:*DownwardAPI FC:*FC AzureFile:*AzureFile ConfigMap:*ConfigMap
        VsphereVolume:*VsphereVolume AzureDisk:*AzureDisk PhotonPersistentDisk:*PhotonDisk
        Projected:*Projected PortworxVolume:*PortworxVolume ScaleIO:*ScaleIO
        StorageOS=storageos:*StorageOS CSI:*CSI Ephemeral:*Ephemeral Image:*Image
    """,
    "HostPath": "Path Type:*string",
    "EmptyDir": "Medium SizeLimit:*Quantity",
    "GCEPersistentDisk": "PDName FSType Partition:int ReadOnly:bool",
    "AWSElasticBlockStore": "VolumeID FSType Partition:int ReadOnly:bool",
    "GitRepo": "Repository Revision Directory",
    "Secret": "SecretName Items:[]KeyToPath DefaultMode:*int Optional:*bool",
    "KeyToPath": "Key Path Mode:*int",
    "NFS": "Server Path ReadOnly:bool",
    "ISCSI": """
        TargetPortal IQN Lun:int ISCSIInterface FSType ReadOnly:bool Portals:[]string
        DiscoveryCHAPAuth=chapAuthDiscovery:bool SessionCHAPAuth=chapAuthSession:bool
        SecretRef:*LocalObjectReference InitiatorName:*string
    """,
    "Glusterfs": "EndpointsName=endpoints Path ReadOnly:bool",
    "ClaimSource": "ClaimName ReadOnly:bool",
    "RBD": """
        CephMonitors=monitors:[]string RBDImage=image FSType RBDPool=pool RadosUser=user Keyring
        SecretRef:*LocalObjectReference ReadOnly:bool
    """,
    "Quobyte": "Registry Volume ReadOnly:bool User Group Tenant",
    "FlexVolume": "Driver FSType SecretRef:*LocalObjectReference ReadOnly:bool Options:map",
    "Cinder": "VolumeID FSType ReadOnly:bool SecretRef:*LocalObjectReference",
    "CephFS": """
        Monitors:[]string Path User SecretFile SecretRef:*LocalObjectReference ReadOnly:bool
    """,
    "Flocker": "DatasetName DatasetUUID",
    "DownwardAPI": "Items:[]DownwardAPIVolumeFile DefaultMode:*int",
    "DownwardAPIVolumeFile": """
        Path FieldRef:*ObjectFieldSelector ResourceFieldRef:*ResourceFieldSelector Mode:*int
    """,
    "FC": "TargetWWNs:[]string Lun:*int FSType ReadOnly:bool WWIDs=wwids:[]string",
    "AzureFile": "SecretName ShareName ReadOnly:bool",
    "ConfigMap": "Name Items:[]KeyToPath DefaultMode:*int Optional:*bool",
    "VsphereVolume": "VolumePath FSType StoragePolicyName StoragePolicyID",
    "AzureDisk": """
        DiskName DataDiskURI=diskURI CachingMode:*string FSType:*string ReadOnly:*bool Kind:*string
    """,
    "PhotonDisk": "PdID FSType",
    "Projected": "Sources:[]VolumeProjection DefaultMode:*int",
    "VolumeProjection": """
        Secret:*ItemsProjection DownwardAPI:*DownwardAPIProjection ConfigMap:*ItemsProjection
        ServiceAccountToken:*TokenProjection ClusterTrustBundle:*TrustProjection
        PodCertificate:*CertificateProjection
    """,
    "ItemsProjection": "Name Items:[]KeyToPath Optional:*bool",
    "DownwardAPIProjection": "Items:[]DownwardAPIVolumeFile",
    "TokenProjection": "Audience ExpirationSeconds:int Path",
    "TrustProjection": """
        Name:*string SignerName:*string LabelSelector:*LabelSelector Optional:*bool Path
    """,
    "CertificateProjection": """
        SignerName KeyType MaxExpirationSeconds:*int CredentialBundlePath KeyPath
        CertificateChainPath UserAnnotations:map
    """,
    "PortworxVolume": "VolumeID FSType ReadOnly:bool",
    "ScaleIO": """
        Gateway System SecretRef:*LocalObjectReference SSLEnabled:bool ProtectionDomain StoragePool
        StorageMode VolumeName FSType ReadOnly:bool
    """,
    "StorageOS": """
        VolumeName VolumeNamespace FSType ReadOnly:bool SecretRef:*LocalObjectReference
    """,
    "CSI": """
        Driver ReadOnly:*bool FSType:*string VolumeAttributes:map
        NodePublishSecretRef:*LocalObjectReference
    """,
    "Ephemeral": "VolumeClaimTemplate:*ClaimTemplate",
    "ClaimTemplate": "+ObjectMeta Spec:PersistentVolumeClaimSpec",
    "Image": "Reference PullPolicy",
}

_STORAGE: Mapping[str, str] = {
    "PersistentVolumeClaimSpec": """
        AccessModes:[]string Selector:*LabelSelector Resources:VolumeResourceRequirements VolumeName
        StorageClassName:*string VolumeMode:*string DataSource:*TypedLocalObjectReference
        DataSourceRef:*TypedObjectReference VolumeAttributesClassName:*string
    """,
    "VolumeResourceRequirements": "Limits:Quantities Requests:Quantities",
    "TypedLocalObjectReference": "APIGroup:*string Kind Name",
    "TypedObjectReference": "APIGroup:*string Kind Name Namespace:*string",
}

_OTHERS: Mapping[str, str] = {
    "Taint": "Key Value Effect TimeAdded:*raw",
    "PodDisruptionBudgetSpec": """
        MinAvailable:*raw Selector:*LabelSelector MaxUnavailable:*raw
        UnhealthyPodEvictionPolicy:*string
    """,
}

TYPES: Mapping[str, str] = {**_PODS, **_CONTAINERS, **_VOLUMES, **_STORAGE, **_OTHERS}
"""The declared fields of each type by the type's name."""
