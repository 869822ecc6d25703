
2.0

Kubernetesv1.21.2J©ù
ñ
"io.k8s.api.core.v1.NFSVolumeSourcep".öserveröpath≤
object O

path".≤
string

readOnly".≤	
boolean

server".≤
string
X
$io.k8s.api.discovery.v1beta1.ForZone0".öname≤
object 

name".≤
string
ó
io.k8s.api.events.v1beta1.EventÛ".ö	eventTime≤
object ı

reason".≤
string
@
related5
0#/definitions/io.k8s.api.core.v1.ObjectReference".
%
reportingController".≤
string

action".≤
string
)
deprecatedCountint32".≤	
integer
W
deprecatedLastTimestamp<
7#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.Time".
N
metadataB
=#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta".
X
deprecatedFirstTimestamp<
7#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.Time".
N
	eventTimeA
<#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.MicroTime".

kind".≤
string


apiVersion".≤
string
E
deprecatedSource1
,#/definitions/io.k8s.api.core.v1.EventSource".
B
	regarding5
0#/definitions/io.k8s.api.core.v1.ObjectReference".
B
series8
3#/definitions/io.k8s.api.events.v1beta1.EventSeries".

note".≤
string
#
reportingInstance".≤
string

type".≤
string˙]
x-kubernetes-group-version-kind:8- group: events.k8s.io
  kind: Event
  version: v1beta1

·
?io.k8s.api.certificates.v1beta1.CertificateSigningRequestStatusù≤
object é
I
certificate:byte".≤
string˙#
x-kubernetes-list-type	atomic

¿

conditions±".≤
array∫T
R
P#/definitions/io.k8s.api.certificates.v1beta1.CertificateSigningRequestCondition˙'
x-kubernetes-list-map-keys	- type
˙ 
x-kubernetes-list-typemap

∆
"io.k8s.api.core.v1.ComponentStatusü".≤
object ≥


apiVersion".≤
string
™

conditionsõ".≤
array∫7
5
3#/definitions/io.k8s.api.core.v1.ComponentCondition˙'
x-kubernetes-patch-merge-keytype
˙'
x-kubernetes-patch-strategymerge


kind".≤
string
N
metadataB
=#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta".˙W
x-kubernetes-group-version-kind42- group: ""
  kind: ComponentStatus
  version: v1

¨
*io.k8s.api.core.v1.NodeSelectorRequirement~".ökeyöoperator≤
object \
'
values".≤
array∫
≤
string

key".≤
string

operator".≤
string
¶
'io.k8s.api.core.v1.PersistentVolumeSpec˙".≤
object Ë
L
portworxVolume:
5#/definitions/io.k8s.api.core.v1.PortworxVolumeSource".
N
scaleIOC
>#/definitions/io.k8s.api.core.v1.ScaleIOPersistentVolumeSource".
R
	storageosE
@#/definitions/io.k8s.api.core.v1.StorageOSPersistentVolumeSource".
-
mountOptions".≤
array∫
≤
string
<
nfs5
0#/definitions/io.k8s.api.core.v1.NFSVolumeSource".
L
cephfsB
=#/definitions/io.k8s.api.core.v1.CephFSPersistentVolumeSource".
X
gcePersistentDiskC
>#/definitions/io.k8s.api.core.v1.GCEPersistentDiskVolumeSource".
H
nodeAffinity8
3#/definitions/io.k8s.api.core.v1.VolumeNodeAffinity".
^
awsElasticBlockStoreF
A#/definitions/io.k8s.api.core.v1.AWSElasticBlockStoreVolumeSource".
A
claimRef5
0#/definitions/io.k8s.api.core.v1.ObjectReference".
:
fc4
/#/definitions/io.k8s.api.core.v1.FCVolumeSource".
D
flocker9
4#/definitions/io.k8s.api.core.v1.FlockerVolumeSource".
R
	glusterfsE
@#/definitions/io.k8s.api.core.v1.GlusterfsPersistentVolumeSource".
@
local7
2#/definitions/io.k8s.api.core.v1.LocalVolumeSource".


volumeMode".≤
string
\
capacityP".™?
=
;#/definitions/io.k8s.apimachinery.pkg.api.resource.Quantity≤
object
L
cinderB
=#/definitions/io.k8s.api.core.v1.CinderPersistentVolumeSource".
D
quobyte9
4#/definitions/io.k8s.api.core.v1.QuobyteVolumeSource".
H
	azureDisk;
6#/definitions/io.k8s.api.core.v1.AzureDiskVolumeSource".
J
iscsiA
<#/definitions/io.k8s.api.core.v1.ISCSIPersistentVolumeSource".
"
storageClassName".≤
string
,
accessModes".≤
array∫
≤
string
F
hostPath:
5#/definitions/io.k8s.api.core.v1.HostPathVolumeSource".
F
rbd?
:#/definitions/io.k8s.api.core.v1.RBDPersistentVolumeSource".
N

flexVolume@
;#/definitions/io.k8s.api.core.v1.FlexPersistentVolumeSource".
/
persistentVolumeReclaimPolicy".≤
string
^
photonPersistentDiskF
A#/definitions/io.k8s.api.core.v1.PhotonPersistentDiskVolumeSource".
U
vsphereVolumeD
?#/definitions/io.k8s.api.core.v1.VsphereVirtualDiskVolumeSource".
R
	azureFileE
@#/definitions/io.k8s.api.core.v1.AzureFilePersistentVolumeSource".
F
csi?
:#/definitions/io.k8s.api.core.v1.CSIPersistentVolumeSource".
Û
io.k8s.api.core.v1.Podÿ".≤
object ¯


apiVersion".≤
string

kind".≤
string
N
metadataB
=#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta".
5
spec-
(#/definitions/io.k8s.api.core.v1.PodSpec".
9
status/
*#/definitions/io.k8s.api.core.v1.PodStatus".˙K
x-kubernetes-group-version-kind(&- kind: Pod
  version: v1
  group: ""

–
io.k8s.api.core.v1.PodCondition¨".ötypeöstatus≤
object ä

message".≤
string

reason".≤
string

status".≤
string

type".≤
string
M
lastProbeTime<
7#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.Time".
R
lastTransitionTime<
7#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.Time".
—
/io.k8s.api.authentication.v1.TokenRequestStatusù".ötokenöexpirationTimestamp≤
object n
S
expirationTimestamp<
7#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.Time".

token".≤
string
í
0io.k8s.api.autoscaling.v2beta2.MetricValueStatus›".≤
object À
,
averageUtilizationint32".≤	
integer
P
averageValue@
;#/definitions/io.k8s.apimachinery.pkg.api.resource.Quantity".
I
value@
;#/definitions/io.k8s.apimachinery.pkg.api.resource.Quantity".
ó
!io.k8s.api.core.v1.SELinuxOptionsr".≤
object a

level".≤
string

role".≤
string

type".≤
string

user".≤
string
∞
%io.k8s.api.discovery.v1.EndpointHintsÜ".≤
object u
s
forZonesg".≤
array∫1
/
-#/definitions/io.k8s.api.discovery.v1.ForZone˙#
x-kubernetes-list-type	atomic

Ë
Bio.k8s.api.certificates.v1beta1.CertificateSigningRequestCondition°ötype≤
object ã
R
lastTransitionTime<
7#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.Time".
N
lastUpdateTime<
7#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.Time".

message".≤
string

reason".≤
string

status".≤
string

type".≤
string
´
/io.k8s.api.core.v1.CephFSPersistentVolumeSource˜".ömonitors≤
object ⁄
)
monitors".≤
array∫
≤
string

path".≤
string

readOnly".≤	
boolean


secretFile".≤
string
B
	secretRef5
0#/definitions/io.k8s.api.core.v1.SecretReference".

user".≤
string
Ô
io.k8s.api.core.v1.Handler–".≤
object æ
B
	tcpSocket5
0#/definitions/io.k8s.api.core.v1.TCPSocketAction".
8
exec0
+#/definitions/io.k8s.api.core.v1.ExecAction".
>
httpGet3
.#/definitions/io.k8s.api.core.v1.HTTPGetAction".
ô
io.k8s.api.rbac.v1beta1.RoleRefv".öapiGroupökindöname≤
object L

apiGroup".≤
string

kind".≤
string

name".≤
string
Ù
&io.k8s.api.storage.v1beta1.CSINodeSpec…".ödrivers≤
object ≠
™
driversû".≤
array∫:
8
6#/definitions/io.k8s.api.storage.v1beta1.CSINodeDriver˙'
x-kubernetes-patch-strategymerge
˙'
x-kubernetes-patch-merge-keyname

ª
=io.k8s.api.certificates.v1beta1.CertificateSigningRequestList˘öitems≤
object ‰
a
itemsX≤
array∫K
I
G#/definitions/io.k8s.api.certificates.v1beta1.CertificateSigningRequest

kind".≤
string
I
metadata=
;#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta


apiVersion".≤
string˙{
x-kubernetes-group-version-kindXV- group: certificates.k8s.io
  kind: CertificateSigningRequestList
  version: v1beta1

Ë
io.k8s.api.core.v1.EventÀ".ömetadataöinvolvedObject≤
object Õ

countint32".≤	
integer

message".≤
string
N
metadataB
=#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta".
;
source1
,#/definitions/io.k8s.api.core.v1.EventSource".


apiVersion".≤
string
M
lastTimestamp<
7#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.Time".
@
related5
0#/definitions/io.k8s.api.core.v1.ObjectReference".
$
reportingComponent".≤
string
#
reportingInstance".≤
string
;
series1
,#/definitions/io.k8s.api.core.v1.EventSeries".

action".≤
string

type".≤
string

reason".≤
string
N
firstTimestamp<
7#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.Time".
G
involvedObject5
0#/definitions/io.k8s.api.core.v1.ObjectReference".

kind".≤
string
N
	eventTimeA
<#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.MicroTime".˙M
x-kubernetes-group-version-kind*(- kind: Event
  version: v1
  group: ""

¬
.io.k8s.api.networking.v1beta1.IngressClassSpecè".≤
object ~


controller".≤
string
^

parametersP
K#/definitions/io.k8s.api.networking.v1beta1.IngressClassParametersReference".
ï
*io.k8s.api.discovery.v1.EndpointConditionsg".≤
object V

ready".≤	
boolean

serving".≤	
boolean

terminating".≤	
boolean
ö
/io.k8s.api.discovery.v1beta1.EndpointConditionsg".≤
object V

serving".≤	
boolean

terminating".≤	
boolean

ready".≤	
boolean
é
io.k8s.api.node.v1.Overheado".≤
object ^
\
podFixedP".™?
=
;#/definitions/io.k8s.apimachinery.pkg.api.resource.Quantity≤
object
¯
3io.k8s.api.authentication.v1beta1.TokenReviewStatus¿".≤
object Æ
*
	audiences".≤
array∫
≤
string
 
authenticated".≤	
boolean

error".≤
string
E
user=
8#/definitions/io.k8s.api.authentication.v1beta1.UserInfo".
Ô
=io.k8s.api.certificates.v1.CertificateSigningRequestCondition≠".ötypeöstatus≤
object ã

message".≤
string

reason".≤
string

status".≤
string

type".≤
string
R
lastTransitionTime<
7#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.Time".
N
lastUpdateTime<
7#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.Time".
Á
!io.k8s.api.core.v1.LimitRangeList¡".öitems≤
object Œ


apiVersion".≤
string
H
items?".≤
array∫/
-
+#/definitions/io.k8s.api.core.v1.LimitRange

kind".≤
string
L
metadata@
;#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta".˙V
x-kubernetes-group-version-kind31- group: ""
  kind: LimitRangeList
  version: v1

Ÿ
5io.k8s.api.admissionregistration.v1.ValidatingWebhookü".önameöclientConfigösideEffectsöadmissionReviewVersions≤
object œ

sideEffects".≤
string
(
timeoutSecondsint32".≤	
integer
8
admissionReviewVersions".≤
array∫
≤
string

failurePolicy".≤
string

name".≤
string
W
objectSelectorE
@#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.LabelSelector".
a
rulesX".≤
array∫H
F
D#/definitions/io.k8s.api.admissionregistration.v1.RuleWithOperations
Z
clientConfigJ
E#/definitions/io.k8s.api.admissionregistration.v1.WebhookClientConfig".

matchPolicy".≤
string
Z
namespaceSelectorE
@#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.LabelSelector".
„
io.k8s.api.batch.v1.CronJobListø".öitems≤
object Ã


apiVersion".≤
string
F
items=".≤
array∫-
+
)#/definitions/io.k8s.api.batch.v1.CronJob

kind".≤
string
L
metadata@
;#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta".˙V
x-kubernetes-group-version-kind31- group: batch
  kind: CronJobList
  version: v1

Ñ
2io.k8s.api.flowcontrol.v1beta1.FlowSchemaConditionÕ".≤
object ª
R
lastTransitionTime<
7#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.Time".

message".≤
string

reason".≤
string

status".≤
string

type".≤
string
y
)io.k8s.api.policy.v1beta1.AllowedHostPathL".≤
object ;


pathPrefix".≤
string

readOnly".≤	
boolean
Ò
1io.k8s.api.policy.v1beta1.PodDisruptionBudgetSpecª".≤
object ©
T
maxUnavailableB
=#/definitions/io.k8s.apimachinery.pkg.util.intstr.IntOrString".
R
minAvailableB
=#/definitions/io.k8s.apimachinery.pkg.util.intstr.IntOrString".
}
selectorq
@#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.LabelSelector".˙)
x-kubernetes-patch-strategy
replace

∑
/io.k8s.api.autoscaling.v2beta2.MetricIdentifierÉ".öname≤
object k

name".≤
string
Q
selectorE
@#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.LabelSelector".
”
2io.k8s.api.core.v1.GlusterfsPersistentVolumeSourceú".ö	endpointsöpath≤
object x
$
endpointsNamespace".≤
string

path".≤
string

readOnly".≤	
boolean

	endpoints".≤
string
Ö
Lio.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.WebhookClientConfig¥".≤
object ¢

url".≤
string
 
caBundlebyte".≤
string
g
service\
W#/definitions/io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.ServiceReference".
·
Vio.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1beta1.CustomResourceValidationÜ".≤
object u
s
openAPIV3Schema`
[#/definitions/io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1beta1.JSONSchemaProps".
ƒ
0io.k8s.apimachinery.pkg.apis.meta.v1.APIResourceè".önameösingularNameö
namespacedökindöverbs≤
object À
+

shortNames".≤
array∫
≤
string
$
storageVersionHash".≤
string
&
verbs".≤
array∫
≤
string

name".≤
string


namespaced".≤	
boolean

kind".≤
string

singularName".≤
string

version".≤
string
+

categories".≤
array∫
≤
string

group".≤
string
î
=io.k8s.apimachinery.pkg.apis.meta.v1.LabelSelectorRequirement“".ökeyöoperator≤
object Ø
h
keya".≤
string˙'
x-kubernetes-patch-strategymerge
˙&
x-kubernetes-patch-merge-keykey


operator".≤
string
'
values".≤
array∫
≤
string
{
6io.k8s.api.authorization.v1beta1.NonResourceAttributesA".≤
object 0

path".≤
string

verb".≤
string
j
Xio.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceSubresourceStatus".≤
object
˙
.io.k8s.api.autoscaling.v2beta2.HPAScalingRules«".≤
object µ
4
stabilizationWindowSecondsint32".≤	
integer
]
policiesQ".≤
array∫A
?
=#/definitions/io.k8s.api.autoscaling.v2beta2.HPAScalingPolicy

selectPolicy".≤
string
√
4io.k8s.api.core.v1.ScopedResourceSelectorRequirementä".ö	scopeNameöoperator≤
object b

operator".≤
string

	scopeName".≤
string
'
values".≤
array∫
≤
string
Ñ
Wio.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceSubresourceScale®".öspecReplicasPathöstatusReplicasPath≤
object o
#
labelSelectorPath".≤
string
"
specReplicasPath".≤
string
$
statusReplicasPath".≤
string
’
*io.k8s.api.authentication.v1beta1.UserInfo¶".≤
object î
6
extra-".™
≤
array∫
≤
string≤
object
'
groups".≤
array∫
≤
string

uid".≤
string

username".≤
string
¶
5io.k8s.api.autoscaling.v1.CrossVersionObjectReferencem".ökindöname≤
object N

kind".≤
string

name".≤
string


apiVersion".≤
string
Ê
"io.k8s.api.apps.v1.StatefulSetListø".öitems≤
object …


apiVersion".≤
string
F
items=≤
array∫0
.
,#/definitions/io.k8s.api.apps.v1.StatefulSet

kind".≤
string
I
metadata=
;#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta˙Y
x-kubernetes-group-version-kind64- group: apps
  kind: StatefulSetList
  version: v1

„
io.k8s.api.storage.v1.CSIDriverø".öspec≤
object ∆


apiVersion".≤
string

kind".≤
string
N
metadataB
=#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta".
>
spec6
1#/definitions/io.k8s.api.storage.v1.CSIDriverSpec".˙]
x-kubernetes-group-version-kind:8- group: storage.k8s.io
  kind: CSIDriver
  version: v1

Œ
-io.k8s.api.extensions.v1beta1.HTTPIngressPathú".öbackend≤
object Ä
J
backend?
:#/definitions/io.k8s.api.extensions.v1beta1.IngressBackend".

path".≤
string

pathType".≤
string
œ
=io.k8s.api.flowcontrol.v1beta1.PriorityLevelConfigurationListç".öitems≤
object Í
L
metadata@
;#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta".


apiVersion".≤
string
d
items[".≤
array∫K
I
G#/definitions/io.k8s.api.flowcontrol.v1beta1.PriorityLevelConfiguration

kind".≤
string˙Ö
x-kubernetes-group-version-kindb`- group: flowcontrol.apiserver.k8s.io
  kind: PriorityLevelConfigurationList
  version: v1beta1

r
(io.k8s.api.core.v1.ContainerStateWaitingF".≤
object 5

message".≤
string

reason".≤
string
ß
#io.k8s.api.core.v1.PersistentVolumeˇ".≤
object í


apiVersion".≤
string

kind".≤
string
N
metadataB
=#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta".
B
spec:
5#/definitions/io.k8s.api.core.v1.PersistentVolumeSpec".
F
status<
7#/definitions/io.k8s.api.core.v1.PersistentVolumeStatus".˙X
x-kubernetes-group-version-kind53- group: ""
  kind: PersistentVolume
  version: v1

Û
>io.k8s.api.autoscaling.v2beta2.HorizontalPodAutoscalerBehavior∞".≤
object û
N
	scaleDownA
<#/definitions/io.k8s.api.autoscaling.v2beta2.HPAScalingRules".
L
scaleUpA
<#/definitions/io.k8s.api.autoscaling.v2beta2.HPAScalingRules".
Ú
$io.k8s.api.batch.v1beta1.CronJobList…".öitems≤
object —
L
metadata@
;#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta".


apiVersion".≤
string
K
itemsB".≤
array∫2
0
.#/definitions/io.k8s.api.batch.v1beta1.CronJob

kind".≤
string˙[
x-kubernetes-group-version-kind86- group: batch
  kind: CronJobList
  version: v1beta1

¥
!io.k8s.api.core.v1.LimitRangeItemé".ötype≤
object ı
[
defaultP".™?
=
;#/definitions/io.k8s.apimachinery.pkg.api.resource.Quantity≤
object
b
defaultRequestP".™?
=
;#/definitions/io.k8s.apimachinery.pkg.api.resource.Quantity≤
object
W
maxP".™?
=
;#/definitions/io.k8s.apimachinery.pkg.api.resource.Quantity≤
object
h
maxLimitRequestRatioP".™?
=
;#/definitions/io.k8s.apimachinery.pkg.api.resource.Quantity≤
object
W
minP".™?
=
;#/definitions/io.k8s.apimachinery.pkg.api.resource.Quantity≤
object

type".≤
string
˚
"io.k8s.api.storage.v1.StorageClass‘".öprovisioner≤
object —
'
allowVolumeExpansion".≤	
boolean


apiVersion".≤
string
-
mountOptions".≤
array∫
≤
string
#
volumeBindingMode".≤
string
^
allowedTopologiesI".≤
array∫9
7
5#/definitions/io.k8s.api.core.v1.TopologySelectorTerm

kind".≤
string
N
metadataB
=#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta".
,

parameters".™
≤
string≤
object

provisioner".≤
string

reclaimPolicy".≤
string˙`
x-kubernetes-group-version-kind=;- group: storage.k8s.io
  kind: StorageClass
  version: v1

Ä
=io.k8s.kube-aggregator.pkg.apis.apiregistration.v1.APIServiceæ".≤
object √
K
metadata?
=#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta
\
specT
O#/definitions/io.k8s.kube-aggregator.pkg.apis.apiregistration.v1.APIServiceSpec".
`
statusV
Q#/definitions/io.k8s.kube-aggregator.pkg.apis.apiregistration.v1.APIServiceStatus".


apiVersion".≤
string

kind".≤
string˙f
x-kubernetes-group-version-kindCA- kind: APIService
  version: v1
  group: apiregistration.k8s.io

ƒ
"io.k8s.api.apps.v1.StatefulSetSpecù".öselectorötemplateöserviceName≤
object Á
"
replicasint32".≤	
integer
.
revisionHistoryLimitint32".≤	
integer
Q
selectorE
@#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.LabelSelector".

serviceName".≤
string
A
template5
0#/definitions/io.k8s.api.core.v1.PodTemplateSpec".
Q
updateStrategy?
:#/definitions/io.k8s.api.apps.v1.StatefulSetUpdateStrategy".
b
volumeClaimTemplatesJ".≤
array∫:
8
6#/definitions/io.k8s.api.core.v1.PersistentVolumeClaim
%
podManagementPolicy".≤
string
Ü
,io.k8s.api.authentication.v1.TokenReviewSpecV".≤
object E
*
	audiences".≤
array∫
≤
string

token".≤
string
•
io.k8s.api.core.v1.ServicePortÇ".öport≤
object È
P

targetPortB
=#/definitions/io.k8s.apimachinery.pkg.util.intstr.IntOrString".

appProtocol".≤
string

name".≤
string
"
nodePortint32".≤	
integer

portint32".≤	
integer

protocol".≤
string
^
*io.k8s.api.flowcontrol.v1beta1.UserSubject0".öname≤
object 

name".≤
string
—
$io.k8s.api.node.v1beta1.RuntimeClass®".öhandler≤
object ß


apiVersion".≤
string

handler".≤
string

kind".≤
string
N
metadataB
=#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta".
?
overhead3
.#/definitions/io.k8s.api.node.v1beta1.Overhead".
C

scheduling5
0#/definitions/io.k8s.api.node.v1beta1.Scheduling".˙b
x-kubernetes-group-version-kind?=- group: node.k8s.io
  kind: RuntimeClass
  version: v1beta1

‰
io.k8s.api.rbac.v1.Role»".≤
object –


apiVersion".≤
string

kind".≤
string
N
metadataB
=#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta".
H
rules?".≤
array∫/
-
+#/definitions/io.k8s.api.rbac.v1.PolicyRule˙c
x-kubernetes-group-version-kind@>- version: v1
  group: rbac.authorization.k8s.io
  kind: Role

o
]io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1beta1.CustomResourceSubresourceStatus".≤
object
°
?io.k8s.api.autoscaling.v2beta1.HorizontalPodAutoscalerCondition›".ötypeöstatus≤
object ª
R
lastTransitionTime<
7#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.Time".

message".≤
string

reason".≤
string

status".≤
string

type".≤
string
≤
"io.k8s.api.core.v1.PodAntiAffinityã".≤
object ˘
v
.requiredDuringSchedulingIgnoredDuringExecutionD".≤
array∫4
2
0#/definitions/io.k8s.api.core.v1.PodAffinityTerm

/preferredDuringSchedulingIgnoredDuringExecutionL".≤
array∫<
:
8#/definitions/io.k8s.api.core.v1.WeightedPodAffinityTerm
ª
(io.k8s.api.core.v1.ReplicationControlleré".≤
object ú


apiVersion".≤
string

kind".≤
string
N
metadataB
=#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta".
G
spec?
:#/definitions/io.k8s.api.core.v1.ReplicationControllerSpec".
K
statusA
<#/definitions/io.k8s.api.core.v1.ReplicationControllerStatus".˙]
x-kubernetes-group-version-kind:8- group: ""
  kind: ReplicationController
  version: v1

Ä
!io.k8s.api.policy.v1beta1.IDRange[".öminömax≤
object >

minint64".≤	
integer

maxint64".≤	
integer
è
Qio.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1beta1.WebhookClientConfigπ".≤
object ß
 
caBundlebyte".≤
string
l
servicea
\#/definitions/io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1beta1.ServiceReference".

url".≤
string
¯
4io.k8s.api.certificates.v1.CertificateSigningRequestø".öspec≤
object ±
K
metadata?
=#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta
S
specK
F#/definitions/io.k8s.api.certificates.v1.CertificateSigningRequestSpec".
W
statusM
H#/definitions/io.k8s.api.certificates.v1.CertificateSigningRequestStatus".


apiVersion".≤
string

kind".≤
string˙r
x-kubernetes-group-version-kindOM- group: certificates.k8s.io
  kind: CertificateSigningRequest
  version: v1

¿
"io.k8s.api.core.v1.PodTemplateSpecô".≤
object á
5
spec-
(#/definitions/io.k8s.api.core.v1.PodSpec".
N
metadataB
=#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta".
¢
#io.k8s.api.core.v1.NodeConfigStatus˙".≤
object Ë
@
active6
1#/definitions/io.k8s.api.core.v1.NodeConfigSource".
B
assigned6
1#/definitions/io.k8s.api.core.v1.NodeConfigSource".

error".≤
string
G
lastKnownGood6
1#/definitions/io.k8s.api.core.v1.NodeConfigSource".
¶
0io.k8s.apimachinery.pkg.apis.meta.v1.APIVersionsÒ".översionsöserverAddressByClientCIDRs≤
object ·
)
versions".≤
array∫
≤
string


apiVersion".≤
string

kind".≤
string
~
serverAddressByClientCIDRs`".≤
array∫P
N
L#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.ServerAddressByClientCIDR˙S
x-kubernetes-group-version-kind0.- group: ""
  kind: APIVersions
  version: v1

ú
&io.k8s.api.storage.v1beta1.VolumeErrorr".≤
object a

message".≤
string
D
time<
7#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.Time".
Z
Sio.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1beta1.JSONSchemaPropsOrBool".
È
!io.k8s.api.apps.v1.DeploymentList√".öitems≤
object Œ


apiVersion".≤
string
H
items?".≤
array∫/
-
+#/definitions/io.k8s.api.apps.v1.Deployment

kind".≤
string
L
metadata@
;#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta".˙X
x-kubernetes-group-version-kind53- group: apps
  kind: DeploymentList
  version: v1

≈
.io.k8s.api.policy.v1.PodDisruptionBudgetStatusí".ödisruptionsAllowedöcurrentHealthyödesiredHealthyöexpectedPods≤
object ∫
,
observedGenerationint64".≤	
integer
Ä

conditionsÒ".≤
array∫@
>
<#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.Condition˙'
x-kubernetes-list-map-keys	- type
˙ 
x-kubernetes-list-typemap
˙'
x-kubernetes-patch-merge-keytype
˙'
x-kubernetes-patch-strategymerge

(
currentHealthyint32".≤	
integer
(
desiredHealthyint32".≤	
integer
]
disruptedPodsL".™;
9
7#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.Time≤
object
,
disruptionsAllowedint32".≤	
integer
&
expectedPodsint32".≤	
integer
Å
io.k8s.api.core.v1.Capabilities^".≤
object M
$
add".≤
array∫
≤
string
%
drop".≤
array∫
≤
string
¯
#io.k8s.api.storage.v1.CSINodeDriver–".önameönodeID≤
object Æ

nodeID".≤
string
-
topologyKeys".≤
array∫
≤
string
K
allocatable<
7#/definitions/io.k8s.api.storage.v1.VolumeNodeResources".

name".≤
string
∫
1io.k8s.api.storage.v1beta1.VolumeAttachmentStatusÑ".öattached≤
object Á
H
detachError9
4#/definitions/io.k8s.api.storage.v1beta1.VolumeError".
H
attachError9
4#/definitions/io.k8s.api.storage.v1beta1.VolumeError".

attached".≤	
boolean
4
attachmentMetadata".™
≤
string≤
object
˝
Mio.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1beta1.JSONSchemaProps´".≤
object ô
'
x-kubernetes-map-type".≤
string

id≤
string
m
itemsd
b#/definitions/io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1beta1.JSONSchemaPropsOrArray

maxItemsint64≤	
integer
 
	maxLengthint64≤	
integer
$
maxPropertiesint64≤	
integer
u
oneOfl≤
array∫_
]
[#/definitions/io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1beta1.JSONSchemaProps

title≤
string

$schema≤
string
v
additionalItemsc
a#/definitions/io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1beta1.JSONSchemaPropsOrBool

description≤
string
 
exclusiveMinimum≤	
boolean
d
not]
[#/definitions/io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1beta1.JSONSchemaProps

pattern≤
string

$ref≤
string
{
additionalPropertiesc
a#/definitions/io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1beta1.JSONSchemaPropsOrBool
u
allOfl≤
array∫_
]
[#/definitions/io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1beta1.JSONSchemaProps

maximumdouble≤
number
&
required≤
array∫
≤
string

type≤
string
(
x-kubernetes-list-type".≤
string
`
defaultU
P#/definitions/io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1beta1.JSON".
 
	minLengthint64≤	
integer
;
x-kubernetes-list-map-keys".≤
array∫
≤
string
Ç
patternPropertiesm™_
]
[#/definitions/io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1beta1.JSONSchemaProps≤
object
{

propertiesm™_
]
[#/definitions/io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1beta1.JSONSchemaProps≤
object
1
x-kubernetes-embedded-resource".≤	
boolean
i
enuma≤
array∫T
R
P#/definitions/io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1beta1.JSON
s
externalDocsc
a#/definitions/io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1beta1.ExternalDocumentation

format".≤
string

nullable≤	
boolean
u
anyOfl≤
array∫_
]
[#/definitions/io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1beta1.JSONSchemaProps
]
exampleR
P#/definitions/io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1beta1.JSON
 
exclusiveMaximum≤	
boolean

minItemsint64≤	
integer

minimumdouble≤
number
-
x-kubernetes-int-or-string".≤	
boolean
7
$x-kubernetes-preserve-unknown-fields".≤	
boolean
|
definitionsm™_
]
[#/definitions/io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1beta1.JSONSchemaProps≤
object
ä
dependenciesz™l
j
h#/definitions/io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1beta1.JSONSchemaPropsOrStringArray≤
object
$
minPropertiesint64≤	
integer
!

multipleOfdouble≤
number

uniqueItems≤	
boolean
˜
:io.k8s.api.autoscaling.v2beta1.HorizontalPodAutoscalerSpec∏".öscaleTargetRefömaxReplicas≤
object á
%
maxReplicasint32".≤	
integer
V
metricsK".≤
array∫;
9
7#/definitions/io.k8s.api.autoscaling.v2beta1.MetricSpec
%
minReplicasint32".≤	
integer
_
scaleTargetRefM
H#/definitions/io.k8s.api.autoscaling.v2beta1.CrossVersionObjectReference".
Ÿ
1io.k8s.api.autoscaling.v2beta1.ObjectMetricSource£".ötargetö
metricNameötargetValue≤
object Ì
Q
selectorE
@#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.LabelSelector".
W
targetM
H#/definitions/io.k8s.api.autoscaling.v2beta1.CrossVersionObjectReference".
O
targetValue@
;#/definitions/io.k8s.apimachinery.pkg.api.resource.Quantity".
P
averageValue@
;#/definitions/io.k8s.apimachinery.pkg.api.resource.Quantity".


metricName".≤
string
Å
)io.k8s.api.extensions.v1beta1.IngressList”".öitems≤
object ÷
L
metadata@
;#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta".


apiVersion".≤
string
P
itemsG".≤
array∫7
5
3#/definitions/io.k8s.api.extensions.v1beta1.Ingress

kind".≤
string˙`
x-kubernetes-group-version-kind=;- group: extensions
  kind: IngressList
  version: v1beta1

–
%io.k8s.api.authentication.v1.UserInfo¶".≤
object î
6
extra-".™
≤
array∫
≤
string≤
object
'
groups".≤
array∫
≤
string

uid".≤
string

username".≤
string
ù
io.k8s.api.core.v1.NodeAffinity˘".≤
object Á

/preferredDuringSchedulingIgnoredDuringExecutionL".≤
array∫<
:
8#/definitions/io.k8s.api.core.v1.PreferredSchedulingTerm
d
.requiredDuringSchedulingIgnoredDuringExecution2
-#/definitions/io.k8s.api.core.v1.NodeSelector".
˘
$io.k8s.api.networking.v1.IngressList–".öitems≤
object —


apiVersion".≤
string
K
itemsB".≤
array∫2
0
.#/definitions/io.k8s.api.networking.v1.Ingress

kind".≤
string
L
metadata@
;#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta".˙b
x-kubernetes-group-version-kind?=- group: networking.k8s.io
  kind: IngressList
  version: v1

ã
!io.k8s.api.core.v1.ContainerImagef".önames≤
object M
&
names".≤
array∫
≤
string
#
	sizeBytesint64".≤	
integer
ü
&io.k8s.api.core.v1.GitRepoVolumeSourceu".ö
repository≤
object W

	directory".≤
string


repository".≤
string

revision".≤
string
ó
.io.k8s.api.discovery.v1beta1.EndpointSliceList‰".öitems≤
object €


apiVersion".≤
string
U
itemsL".≤
array∫<
:
8#/definitions/io.k8s.api.discovery.v1beta1.EndpointSlice

kind".≤
string
L
metadata@
;#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta".˙l
x-kubernetes-group-version-kindIG- kind: EndpointSliceList
  version: v1beta1
  group: discovery.k8s.io

Ò
&io.k8s.api.networking.v1.NetworkPolicy∆".≤
object Õ
N
metadataB
=#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta".
E
spec=
8#/definitions/io.k8s.api.networking.v1.NetworkPolicySpec".


apiVersion".≤
string

kind".≤
string˙d
x-kubernetes-group-version-kindA?- kind: NetworkPolicy
  version: v1
  group: networking.k8s.io

‘
!io.k8s.api.batch.v1.CronJobStatusÆ".≤
object ú
t
activej".≤
array∫4
2
0#/definitions/io.k8s.api.core.v1.ObjectReference˙#
x-kubernetes-list-type	atomic

P
lastScheduleTime<
7#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.Time".
R
lastSuccessfulTime<
7#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.Time".
◊
io.k8s.api.batch.v1.JobList∑".öitems≤
object »


apiVersion".≤
string
B
items9".≤
array∫)
'
%#/definitions/io.k8s.api.batch.v1.Job

kind".≤
string
L
metadata@
;#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta".˙R
x-kubernetes-group-version-kind/-- group: batch
  kind: JobList
  version: v1

‰
/io.k8s.api.authorization.v1.SubjectAccessReview∞".öspec≤
object ß
R
statusH
C#/definitions/io.k8s.api.authorization.v1.SubjectAccessReviewStatus".


apiVersion".≤
string

kind".≤
string
K
metadata?
=#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta
N
specF
A#/definitions/io.k8s.api.authorization.v1.SubjectAccessReviewSpec".˙m
x-kubernetes-group-version-kindJH- group: authorization.k8s.io
  kind: SubjectAccessReview
  version: v1

·
1io.k8s.api.autoscaling.v1.HorizontalPodAutoscaler´".≤
object Æ


apiVersion".≤
string

kind".≤
string
N
metadataB
=#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta".
P
specH
C#/definitions/io.k8s.api.autoscaling.v1.HorizontalPodAutoscalerSpec".
T
statusJ
E#/definitions/io.k8s.api.autoscaling.v1.HorizontalPodAutoscalerStatus".˙h
x-kubernetes-group-version-kindEC- version: v1
  group: autoscaling
  kind: HorizontalPodAutoscaler

¨
0io.k8s.api.policy.v1beta1.FSGroupStrategyOptionsx".≤
object g
M
rangesC".≤
array∫3
1
/#/definitions/io.k8s.api.policy.v1beta1.IDRange

rule".≤
string
ê
'io.k8s.api.rbac.v1beta1.RoleBindingList‰".öitems≤
object ‘


apiVersion".≤
string
N
itemsE".≤
array∫5
3
1#/definitions/io.k8s.api.rbac.v1beta1.RoleBinding

kind".≤
string
L
metadata@
;#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta".˙s
x-kubernetes-group-version-kindPN- group: rbac.authorization.k8s.io
  kind: RoleBindingList
  version: v1beta1

∞
Wio.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceColumnDefinition‘".önameötypeöjsonPath≤
object ©
"
priorityint32".≤	
integer

type".≤
string

description".≤
string

format".≤
string

jsonPath".≤
string

name".≤
string
¶
=io.k8s.apimachinery.pkg.apis.meta.v1.GroupVersionForDiscoverye".ögroupVersionöversion≤
object ;

groupVersion".≤
string

version".≤
string
∆
)io.k8s.api.authentication.v1.TokenRequestò".öspec≤
object ï

kind".≤
string
K
metadata?
=#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta
E
spec=
;#/definitions/io.k8s.api.authentication.v1.TokenRequestSpec
I
status?
=#/definitions/io.k8s.api.authentication.v1.TokenRequestStatus


apiVersion".≤
string˙g
x-kubernetes-group-version-kindDB- group: authentication.k8s.io
  kind: TokenRequest
  version: v1

Å
3io.k8s.api.core.v1.PhotonPersistentDiskVolumeSourceJ".öpdID≤
object 2

pdID".≤
string

fsType".≤
string
¥
:io.k8s.api.autoscaling.v2beta2.HorizontalPodAutoscalerListı".öitems≤
object Á
a
itemsX".≤
array∫H
F
D#/definitions/io.k8s.api.autoscaling.v2beta2.HorizontalPodAutoscaler

kind".≤
string
L
metadata@
;#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta".


apiVersion".≤
string˙q
x-kubernetes-group-version-kindNL- group: autoscaling
  kind: HorizontalPodAutoscalerList
  version: v2beta2

‘
8io.k8s.api.certificates.v1.CertificateSigningRequestSpecó".örequestö
signerName≤
object Ó
E
request:byte".≤
string˙#
x-kubernetes-list-type	atomic



signerName".≤
string

uid".≤
string
M
usagesC".≤
array∫
≤
string˙#
x-kubernetes-list-type	atomic


username".≤
string
6
extra-".™
≤
array∫
≤
string≤
object
M
groupsC".≤
array∫
≤
string˙#
x-kubernetes-list-type	atomic

˘
'io.k8s.api.core.v1.PersistentVolumeListÕ".öitems≤
object ‘


apiVersion".≤
string
N
itemsE".≤
array∫5
3
1#/definitions/io.k8s.api.core.v1.PersistentVolume

kind".≤
string
L
metadata@
;#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta".˙\
x-kubernetes-group-version-kind97- group: ""
  kind: PersistentVolumeList
  version: v1

≠
Kio.k8s.kube-aggregator.pkg.apis.apiregistration.v1beta1.APIServiceCondition›".ötypeöstatus≤
object ª

message".≤
string

reason".≤
string

status".≤
string

type".≤
string
R
lastTransitionTime<
7#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.Time".
v
1io.k8s.api.authorization.v1.NonResourceAttributesA".≤
object 0

path".≤
string

verb".≤
string
Ü
7io.k8s.api.authorization.v1.SelfSubjectAccessReviewSpec ".≤
object ∏
]
nonResourceAttributesD
?#/definitions/io.k8s.api.authorization.v1.NonResourceAttributes".
W
resourceAttributesA
<#/definitions/io.k8s.api.authorization.v1.ResourceAttributes".

!io.k8s.api.storage.v1.CSINodeList ".öitems≤
object Œ


apiVersion".≤
string
H
items?".≤
array∫/
-
+#/definitions/io.k8s.api.storage.v1.CSINode

kind".≤
string
L
metadata@
;#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta".˙_
x-kubernetes-group-version-kind<:- group: storage.k8s.io
  kind: CSINodeList
  version: v1

Ã
Vio.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1beta1.CustomResourceConversionÒ".östrategy≤
object ‘
9
conversionReviewVersions".≤
array∫
≤
string

strategy".≤
string
{
webhookClientConfigd
_#/definitions/io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1beta1.WebhookClientConfig".
«
"io.k8s.api.core.v1.PodAffinityTerm†".ötopologyKey≤
object Ä
V
labelSelectorE
@#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.LabelSelector".
Z
namespaceSelectorE
@#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.LabelSelector".
+

namespaces".≤
array∫
≤
string

topologyKey".≤
string
ı
1io.k8s.api.networking.v1.NetworkPolicyIngressRuleø".≤
object ≠
T
fromL".≤
array∫<
:
8#/definitions/io.k8s.api.networking.v1.NetworkPolicyPeer
U
portsL".≤
array∫<
:
8#/definitions/io.k8s.api.networking.v1.NetworkPolicyPort
∞
&io.k8s.api.core.v1.ScaleIOVolumeSourceÖ".ögatewayösystemö	secretRef≤
object ‘
G
	secretRef:
5#/definitions/io.k8s.api.core.v1.LocalObjectReference".

storageMode".≤
string

fsType".≤
string

gateway".≤
string


sslEnabled".≤	
boolean

storagePool".≤
string

system".≤
string


volumeName".≤
string
"
protectionDomain".≤
string

readOnly".≤	
boolean
‰
"io.k8s.api.core.v1.SecurityContextΩ".≤
object ´


privileged".≤	
boolean

	procMount".≤
string

runAsNonRoot".≤	
boolean
#
	runAsUserint64".≤	
integer
F
seLinuxOptions4
/#/definitions/io.k8s.api.core.v1.SELinuxOptions".
F
seccompProfile4
/#/definitions/io.k8s.api.core.v1.SeccompProfile".
+
allowPrivilegeEscalation".≤	
boolean
B
capabilities2
-#/definitions/io.k8s.api.core.v1.Capabilities".
U
windowsOptionsC
>#/definitions/io.k8s.api.core.v1.WindowsSecurityContextOptions".
)
readOnlyRootFilesystem".≤	
boolean
$

runAsGroupint64".≤	
integer
}
 io.k8s.api.networking.v1.IPBlockY".öcidr≤
object A

cidr".≤
string
'
except".≤
array∫
≤
string
ﬂ
 io.k8s.api.coordination.v1.Lease∫".≤
object «


apiVersion".≤
string

kind".≤
string
N
metadataB
=#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta".
?
spec7
2#/definitions/io.k8s.api.coordination.v1.LeaseSpec".˙^
x-kubernetes-group-version-kind;9- group: coordination.k8s.io
  kind: Lease
  version: v1

ˇ
"io.k8s.api.core.v1.NamespaceStatusÿ".≤
object ∆
™

conditionsõ".≤
array∫7
5
3#/definitions/io.k8s.api.core.v1.NamespaceCondition˙'
x-kubernetes-patch-merge-keytype
˙'
x-kubernetes-patch-strategymerge


phase".≤
string
™
io.k8s.api.batch.v1.JobStatusà".≤
object ˆ
À

conditionsº".≤
array∫2
0
.#/definitions/io.k8s.api.batch.v1.JobCondition˙#
x-kubernetes-list-type	atomic
˙'
x-kubernetes-patch-merge-keytype
˙'
x-kubernetes-patch-strategymerge

 
failedint32".≤	
integer
I
	startTime<
7#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.Time".
#
	succeededint32".≤	
integer
 
activeint32".≤	
integer
"
completedIndexes".≤
string
N
completionTime<
7#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.Time".
Ö
4io.k8s.api.flowcontrol.v1beta1.NonResourcePolicyRuleÃ".överbsönonResourceURLs≤
object †
S
nonResourceURLs@".≤
array∫
≤
string˙ 
x-kubernetes-list-typeset

I
verbs@".≤
array∫
≤
string˙ 
x-kubernetes-list-typeset

∆
[io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1beta1.CustomResourceDefinitionNamesÊ".öpluralökind≤
object ƒ
+

categories".≤
array∫
≤
string

kind".≤
string

listKind".≤
string

plural".≤
string
+

shortNames".≤
array∫
≤
string

singular".≤
string
á
%io.k8s.api.apps.v1.DaemonSetCondition›".ötypeöstatus≤
object ª
R
lastTransitionTime<
7#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.Time".

message".≤
string

reason".≤
string

status".≤
string

type".≤
string
˘
io.k8s.api.batch.v1.Job›".≤
object ˙
N
metadataB
=#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta".
6
spec.
)#/definitions/io.k8s.api.batch.v1.JobSpec".
:
status0
+#/definitions/io.k8s.api.batch.v1.JobStatus".


apiVersion".≤
string

kind".≤
string˙N
x-kubernetes-group-version-kind+)- group: batch
  kind: Job
  version: v1

Ø	
io.k8s.api.core.v1.ServiceSpecå	".≤
object ˙
#
loadBalancerClass".≤
string
 
loadBalancerIP".≤
string
9
loadBalancerSourceRanges".≤
array∫
≤
string
*
selector".™
≤
string≤
object
!
sessionAffinity".≤
string
-
topologyKeys".≤
array∫
≤
string
'
externalTrafficPolicy".≤
string
Q

clusterIPsC".≤
array∫
≤
string˙#
x-kubernetes-list-type	atomic

-
healthCheckNodePortint32".≤	
integer
'
internalTrafficPolicy".≤
string
 
ipFamilyPolicy".≤
string
+
publishNotReadyAddresses".≤	
boolean
0
allocateLoadBalancerNodePorts".≤	
boolean
T
sessionAffinityConfig;
6#/definitions/io.k8s.api.core.v1.SessionAffinityConfig".
Q

ipFamiliesC".≤
array∫
≤
string˙#
x-kubernetes-list-type	atomic

,
externalIPs".≤
array∫
≤
string

externalName".≤
string
ˆ
portsÏ".≤
array∫0
.
,#/definitions/io.k8s.api.core.v1.ServicePort˙2
x-kubernetes-list-map-keys- port
- protocol
˙ 
x-kubernetes-list-typemap
˙'
x-kubernetes-patch-merge-keyport
˙'
x-kubernetes-patch-strategymerge


type".≤
string

	clusterIP".≤
string
?
-io.k8s.apimachinery.pkg.api.resource.Quantity".≤
string
„
1io.k8s.api.autoscaling.v2beta2.ObjectMetricSource≠".ödescribedObjectötargetömetric≤
object ˜
]
describedObjectJ
H#/definitions/io.k8s.api.autoscaling.v2beta2.CrossVersionObjectReference
L
metricB
=#/definitions/io.k8s.api.autoscaling.v2beta2.MetricIdentifier".
H
target>
9#/definitions/io.k8s.api.autoscaling.v2beta2.MetricTarget".
Ø
(io.k8s.api.core.v1.AzureFileVolumeSourceÇ".ö
secretNameö	shareName≤
object X

readOnly".≤	
boolean


secretName".≤
string

	shareName".≤
string
º
,io.k8s.api.core.v1.PersistentVolumeClaimSpecã".≤
object ˘
,
accessModes".≤
array∫
≤
string
M

dataSource?
:#/definitions/io.k8s.api.core.v1.TypedLocalObjectReference".
G
	resources:
5#/definitions/io.k8s.api.core.v1.ResourceRequirements".
Q
selectorE
@#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.LabelSelector".
"
storageClassName".≤
string


volumeMode".≤
string


volumeName".≤
string
û
-io.k8s.api.flowcontrol.v1beta1.FlowSchemaListÏ".öitems≤
object ⁄
L
metadata@
;#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta".


apiVersion".≤
string
T
itemsK".≤
array∫;
9
7#/definitions/io.k8s.api.flowcontrol.v1beta1.FlowSchema

kind".≤
string˙u
x-kubernetes-group-version-kindRP- group: flowcontrol.apiserver.k8s.io
  kind: FlowSchemaList
  version: v1beta1

ò
$io.k8s.api.networking.v1.IngressRulep".≤
object _

host".≤
string
E
http=
;#/definitions/io.k8s.api.networking.v1.HTTPIngressRuleValue
∏
%io.k8s.api.networking.v1beta1.Ingressé".≤
object ñ


apiVersion".≤
string

kind".≤
string
N
metadataB
=#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta".
D
spec<
7#/definitions/io.k8s.api.networking.v1beta1.IngressSpec".
H
status>
9#/definitions/io.k8s.api.networking.v1beta1.IngressStatus".˙c
x-kubernetes-group-version-kind@>- group: networking.k8s.io
  kind: Ingress
  version: v1beta1

‰
 io.k8s.api.core.v1.EndpointsListø".öitems≤
object Õ
L
metadata@
;#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta".


apiVersion".≤
string
G
items>".≤
array∫.
,
*#/definitions/io.k8s.api.core.v1.Endpoints

kind".≤
string˙U
x-kubernetes-group-version-kind20- version: v1
  group: ""
  kind: EndpointsList

˚
"io.k8s.api.core.v1.ObjectReference‘".≤
object ¬

name".≤
string

	namespace".≤
string
!
resourceVersion".≤
string

uid".≤
string


apiVersion".≤
string

	fieldPath".≤
string

kind".≤
string
·
.io.k8s.api.core.v1.ReplicationControllerStatusÆ".öreplicas≤
object ë
+
availableReplicasint32".≤	
integer
∂

conditionsß".≤
array∫C
A
?#/definitions/io.k8s.api.core.v1.ReplicationControllerCondition˙'
x-kubernetes-patch-merge-keytype
˙'
x-kubernetes-patch-strategymerge

.
fullyLabeledReplicasint32".≤	
integer
,
observedGenerationint64".≤	
integer
'
readyReplicasint32".≤	
integer
"
replicasint32".≤	
integer
˝
*io.k8s.api.networking.v1beta1.IngressClassŒ".≤
object —


apiVersion".≤
string

kind".≤
string
N
metadataB
=#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta".
I
specA
<#/definitions/io.k8s.api.networking.v1beta1.IngressClassSpec".˙h
x-kubernetes-group-version-kindEC- version: v1beta1
  group: networking.k8s.io
  kind: IngressClass

Ü
'io.k8s.api.policy.v1beta1.HostPortRange[".öminömax≤
object >

maxint32".≤	
integer

minint32".≤	
integer
˜
4io.k8s.apimachinery.pkg.apis.meta.v1.APIResourceListæ".ögroupVersionö	resources≤
object ∑
_
	resourcesR".≤
array∫B
@
>#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.APIResource


apiVersion".≤
string

groupVersion".≤
string

kind".≤
string˙W
x-kubernetes-group-version-kind42- version: v1
  group: ""
  kind: APIResourceList

ÿ
io.k8s.api.core.v1.EventList∑".öitems≤
object …


apiVersion".≤
string
C
items:".≤
array∫*
(
&#/definitions/io.k8s.api.core.v1.Event

kind".≤
string
L
metadata@
;#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta".˙Q
x-kubernetes-group-version-kind.,- group: ""
  kind: EventList
  version: v1

i
#io.k8s.api.core.v1.PodReadinessGateB".öconditionType≤
object !

conditionType".≤
string
â
\io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1beta1.CustomResourceSubresourceScale®".öspecReplicasPathöstatusReplicasPath≤
object o
$
statusReplicasPath".≤
string
#
labelSelectorPath".≤
string
"
specReplicasPath".≤
string
ì
0io.k8s.apimachinery.pkg.apis.meta.v1.StatusCause_".≤
object N

field".≤
string

message".≤
string

reason".≤
string
ô
io.k8s.api.core.v1.Secret˚".≤
object ò

kind".≤
string
N
metadataB
=#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta".
,

stringData".™
≤
string≤
object

type".≤
string


apiVersion".≤
string
,
data$".™
byte≤
string≤
object

	immutable".≤	
boolean˙N
x-kubernetes-group-version-kind+)- version: v1
  group: ""
  kind: Secret

Ö
2io.k8s.api.core.v1.StorageOSPersistentVolumeSourceŒ".≤
object º

fsType".≤
string

readOnly".≤	
boolean
B
	secretRef5
0#/definitions/io.k8s.api.core.v1.ObjectReference".


volumeName".≤
string
!
volumeNamespace".≤
string
Ω
io.k8s.api.node.v1.RuntimeClassô".öhandler≤
object ù


apiVersion".≤
string

handler".≤
string

kind".≤
string
N
metadataB
=#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta".
:
overhead.
)#/definitions/io.k8s.api.node.v1.Overhead".
>

scheduling0
+#/definitions/io.k8s.api.node.v1.Scheduling".˙]
x-kubernetes-group-version-kind:8- group: node.k8s.io
  kind: RuntimeClass
  version: v1

w
io.k8s.api.core.v1.NodeAddressU".ötypeöaddress≤
object 3

address".≤
string

type".≤
string
à
,io.k8s.api.core.v1.PersistentVolumeClaimList◊".öitems≤
object Ÿ


apiVersion".≤
string
S
itemsJ".≤
array∫:
8
6#/definitions/io.k8s.api.core.v1.PersistentVolumeClaim

kind".≤
string
L
metadata@
;#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta".˙a
x-kubernetes-group-version-kind><- kind: PersistentVolumeClaimList
  version: v1
  group: ""

¶
*io.k8s.api.apps.v1.DaemonSetUpdateStrategyx".≤
object g

type".≤
string
M
rollingUpdate<
7#/definitions/io.k8s.api.apps.v1.RollingUpdateDaemonSet".
≈
,io.k8s.api.core.v1.CSIPersistentVolumeSourceî".ödriverövolumeHandle≤
object Í
S
controllerPublishSecretRef5
0#/definitions/io.k8s.api.core.v1.SecretReference".

volumeHandle".≤
string

fsType".≤
string
M
nodePublishSecretRef5
0#/definitions/io.k8s.api.core.v1.SecretReference".
K
nodeStageSecretRef5
0#/definitions/io.k8s.api.core.v1.SecretReference".

readOnly".≤	
boolean
2
volumeAttributes".™
≤
string≤
object
R
controllerExpandSecretRef5
0#/definitions/io.k8s.api.core.v1.SecretReference".

driver".≤
string
î
Bio.k8s.api.flowcontrol.v1beta1.PriorityLevelConfigurationConditionÕ".≤
object ª

message".≤
string

reason".≤
string

status".≤
string

type".≤
string
R
lastTransitionTime<
7#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.Time".
Ì
/io.k8s.api.storage.v1beta1.VolumeAttachmentSpecπ".öattacherösourceönodeName≤
object à

attacher".≤
string

nodeName".≤
string
N
sourceD
?#/definitions/io.k8s.api.storage.v1beta1.VolumeAttachmentSource".
œ
%io.k8s.api.discovery.v1.EndpointSlice•".öaddressTypeö	endpoints≤
object ì

addressType".≤
string


apiVersion".≤
string
u
	endpointsh".≤
array∫2
0
.#/definitions/io.k8s.api.discovery.v1.Endpoint˙#
x-kubernetes-list-type	atomic


kind".≤
string
N
metadataB
=#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta".
u
portsl".≤
array∫6
4
2#/definitions/io.k8s.api.discovery.v1.EndpointPort˙#
x-kubernetes-list-type	atomic
˙c
x-kubernetes-group-version-kind@>- group: discovery.k8s.io
  kind: EndpointSlice
  version: v1

ê
'io.k8s.api.storage.v1beta1.TokenRequeste".öaudience≤
object I
+
expirationSecondsint64".≤	
integer

audience".≤
string
Ë
.io.k8s.api.core.v1.ISCSIPersistentVolumeSourceµ".ötargetPortalöiqnölun≤
object à
$
chapAuthDiscovery".≤	
boolean

fsType".≤
string

initiatorName".≤
string

iqn".≤
string
 
iscsiInterface".≤
string

lunint32".≤	
integer
(
portals".≤
array∫
≤
string

readOnly".≤	
boolean
B
	secretRef5
0#/definitions/io.k8s.api.core.v1.SecretReference".

targetPortal".≤
string
"
chapAuthSession".≤	
boolean
‰
 io.k8s.api.core.v1.NamespaceListø".öitems≤
object Õ


apiVersion".≤
string
G
items>".≤
array∫.
,
*#/definitions/io.k8s.api.core.v1.Namespace

kind".≤
string
L
metadata@
;#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta".˙U
x-kubernetes-group-version-kind20- kind: NamespaceList
  version: v1
  group: ""

Ú
0io.k8s.api.networking.v1.NetworkPolicyEgressRuleΩ".≤
object ´
U
portsL".≤
array∫<
:
8#/definitions/io.k8s.api.networking.v1.NetworkPolicyPort
R
toL".≤
array∫<
:
8#/definitions/io.k8s.api.networking.v1.NetworkPolicyPeer
e
6io.k8s.api.authorization.v1.SelfSubjectRulesReviewSpec+≤
object 

	namespace".≤
string
’
io.k8s.api.core.v1.NodeListµ".öitems≤
object »
L
metadata@
;#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta".


apiVersion".≤
string
B
items9".≤
array∫)
'
%#/definitions/io.k8s.api.core.v1.Node

kind".≤
string˙P
x-kubernetes-group-version-kind-+- group: ""
  kind: NodeList
  version: v1

r
$io.k8s.api.core.v1.LocalVolumeSourceJ".öpath≤
object 2

fsType".≤
string

path".≤
string
¢
)io.k8s.api.networking.v1beta1.IngressRuleu".≤
object d

host".≤
string
J
httpB
@#/definitions/io.k8s.api.networking.v1beta1.HTTPIngressRuleValue
˚
 io.k8s.api.rbac.v1beta1.RoleList÷".öitems≤
object Õ
L
metadata@
;#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta".


apiVersion".≤
string
G
items>".≤
array∫.
,
*#/definitions/io.k8s.api.rbac.v1beta1.Role

kind".≤
string˙l
x-kubernetes-group-version-kindIG- group: rbac.authorization.k8s.io
  kind: RoleList
  version: v1beta1

ˇ
&io.k8s.api.storage.v1beta1.CSINodeList‘".öitems≤
object ”


apiVersion".≤
string
M
itemsD".≤
array∫4
2
0#/definitions/io.k8s.api.storage.v1beta1.CSINode

kind".≤
string
L
metadata@
;#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta".˙d
x-kubernetes-group-version-kindA?- kind: CSINodeList
  version: v1beta1
  group: storage.k8s.io

í
3io.k8s.api.authorization.v1.SubjectAccessReviewSpec⁄".≤
object »
]
nonResourceAttributesD
?#/definitions/io.k8s.api.authorization.v1.NonResourceAttributes".
W
resourceAttributesA
<#/definitions/io.k8s.api.authorization.v1.ResourceAttributes".

uid".≤
string

user".≤
string
6
extra-".™
≤
array∫
≤
string≤
object
'
groups".≤
array∫
≤
string
¨
io.k8s.api.core.v1.EventSeriesâ".≤
object x

countint32".≤	
integer
U
lastObservedTimeA
<#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.MicroTime".
Ÿ
)io.k8s.api.extensions.v1beta1.IngressSpec´".≤
object ô
J
backend?
:#/definitions/io.k8s.api.extensions.v1beta1.IngressBackend".
"
ingressClassName".≤
string
T
rulesK".≤
array∫;
9
7#/definitions/io.k8s.api.extensions.v1beta1.IngressRule
Q
tlsJ".≤
array∫:
8
6#/definitions/io.k8s.api.extensions.v1beta1.IngressTLS
ã
*io.k8s.api.networking.v1.NetworkPolicyList‹".öitems≤
object ◊


apiVersion".≤
string
Q
itemsH".≤
array∫8
6
4#/definitions/io.k8s.api.networking.v1.NetworkPolicy

kind".≤
string
L
metadata@
;#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta".˙h
x-kubernetes-group-version-kindEC- group: networking.k8s.io
  kind: NetworkPolicyList
  version: v1

D
=io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSON".
í
2io.k8s.apimachinery.pkg.apis.meta.v1.LabelSelector€".≤
object §
s
matchExpressions_".≤
array∫O
M
K#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.LabelSelectorRequirement
-
matchLabels".™
≤
string≤
object˙"
x-kubernetes-map-type	atomic

Ò
&io.k8s.api.core.v1.ResourceQuotaStatus∆".≤
object ¥
X
hardP".™?
=
;#/definitions/io.k8s.apimachinery.pkg.api.resource.Quantity≤
object
X
usedP".™?
=
;#/definitions/io.k8s.apimachinery.pkg.api.resource.Quantity≤
object
«
*io.k8s.api.core.v1.WeightedPodAffinityTermò".öweightöpodAffinityTerm≤
object l
 
weightint32".≤	
integer
H
podAffinityTerm5
0#/definitions/io.k8s.api.core.v1.PodAffinityTerm".
¬
1io.k8s.api.flowcontrol.v1beta1.ResourcePolicyRuleå".överbsö	apiGroupsö	resources≤
object ⁄

clusterScope".≤	
boolean
N

namespaces@".≤
array∫
≤
string˙ 
x-kubernetes-list-typeset

M
	resources@".≤
array∫
≤
string˙ 
x-kubernetes-list-typeset

I
verbs@".≤
array∫
≤
string˙ 
x-kubernetes-list-typeset

M
	apiGroups@".≤
array∫
≤
string˙ 
x-kubernetes-list-typeset

Œ
-io.k8s.api.policy.v1beta1.PodDisruptionBudgetú".≤
object £


apiVersion".≤
string

kind".≤
string
K
metadata?
=#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta
L
specD
?#/definitions/io.k8s.api.policy.v1beta1.PodDisruptionBudgetSpec".
P
statusF
A#/definitions/io.k8s.api.policy.v1beta1.PodDisruptionBudgetStatus".˙d
x-kubernetes-group-version-kindA?- group: policy
  kind: PodDisruptionBudget
  version: v1beta1

¿
:io.k8s.api.admissionregistration.v1beta1.ValidatingWebhookÅ".önameöclientConfig≤
object Ÿ
W
objectSelectorE
@#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.LabelSelector".
f
rules]".≤
array∫M
K
I#/definitions/io.k8s.api.admissionregistration.v1beta1.RuleWithOperations
(
timeoutSecondsint32".≤	
integer
8
admissionReviewVersions".≤
array∫
≤
string
_
clientConfigO
J#/definitions/io.k8s.api.admissionregistration.v1beta1.WebhookClientConfig".

matchPolicy".≤
string

sideEffects".≤
string

failurePolicy".≤
string

name".≤
string
Z
namespaceSelectorE
@#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.LabelSelector".
˘
$io.k8s.api.coordination.v1.LeaseList–".öitems≤
object —


apiVersion".≤
string
K
itemsB".≤
array∫2
0
.#/definitions/io.k8s.api.coordination.v1.Lease

kind".≤
string
L
metadata@
;#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta".˙b
x-kubernetes-group-version-kind?=- version: v1
  group: coordination.k8s.io
  kind: LeaseList

€
io.k8s.api.core.v1.SecretListπ".öitems≤
object  


apiVersion".≤
string
D
items;".≤
array∫+
)
'#/definitions/io.k8s.api.core.v1.Secret

kind".≤
string
L
metadata@
;#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta".˙R
x-kubernetes-group-version-kind/-- group: ""
  kind: SecretList
  version: v1

ˆ
#io.k8s.api.node.v1.RuntimeClassListŒ".öitems≤
object –


apiVersion".≤
string
J
itemsA".≤
array∫1
/
-#/definitions/io.k8s.api.node.v1.RuntimeClass

kind".≤
string
L
metadata@
;#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta".˙a
x-kubernetes-group-version-kind><- group: node.k8s.io
  kind: RuntimeClassList
  version: v1

à
3io.k8s.api.autoscaling.v2beta1.ExternalMetricStatus–".ö
metricNameöcurrentValue≤
object ¢
P
currentValue@
;#/definitions/io.k8s.apimachinery.pkg.api.resource.Quantity".


metricName".≤
string
W
metricSelectorE
@#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.LabelSelector".
W
currentAverageValue@
;#/definitions/io.k8s.apimachinery.pkg.api.resource.Quantity".
ã
+io.k8s.api.autoscaling.v2beta2.MetricStatus€".ötype≤
object ¬
d
containerResourceO
J#/definitions/io.k8s.api.autoscaling.v2beta2.ContainerResourceMetricStatus".
R
externalF
A#/definitions/io.k8s.api.autoscaling.v2beta2.ExternalMetricStatus".
N
objectD
?#/definitions/io.k8s.api.autoscaling.v2beta2.ObjectMetricStatus".
J
podsB
=#/definitions/io.k8s.api.autoscaling.v2beta2.PodsMetricStatus".
R
resourceF
A#/definitions/io.k8s.api.autoscaling.v2beta2.ResourceMetricStatus".

type".≤
string
à
#io.k8s.api.core.v1.FlexVolumeSource‡".ödriver≤
object ≈

fsType".≤
string
)
options".™
≤
string≤
object

readOnly".≤	
boolean
G
	secretRef:
5#/definitions/io.k8s.api.core.v1.LocalObjectReference".

driver".≤
string
ô
?io.k8s.api.flowcontrol.v1beta1.PriorityLevelConfigurationStatus’".≤
object √
¿

conditions±".≤
array∫T
R
P#/definitions/io.k8s.api.flowcontrol.v1beta1.PriorityLevelConfigurationCondition˙'
x-kubernetes-list-map-keys	- type
˙ 
x-kubernetes-list-typemap

ƒ
%io.k8s.api.rbac.v1.ClusterRoleBindingö".öroleRef≤
object ä


apiVersion".≤
string

kind".≤
string
N
metadataB
=#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta".
8
roleRef-
(#/definitions/io.k8s.api.rbac.v1.RoleRef".
H
subjects<".≤
array∫,
*
(#/definitions/io.k8s.api.rbac.v1.Subject˙q
x-kubernetes-group-version-kindNL- group: rbac.authorization.k8s.io
  kind: ClusterRoleBinding
  version: v1

û
io.k8s.api.rbac.v1.PolicyRule¸".överbs≤
object ‚
*
	apiGroups".≤
array∫
≤
string
0
nonResourceURLs".≤
array∫
≤
string
.
resourceNames".≤
array∫
≤
string
*
	resources".≤
array∫
≤
string
&
verbs".≤
array∫
≤
string
Ä
7io.k8s.api.authorization.v1beta1.SelfSubjectRulesReviewƒ".öspec≤
object ≥


apiVersion".≤
string

kind".≤
string
K
metadata?
=#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta
V
specN
I#/definitions/io.k8s.api.authorization.v1beta1.SelfSubjectRulesReviewSpec".
V
statusL
G#/definitions/io.k8s.api.authorization.v1beta1.SubjectRulesReviewStatus".˙u
x-kubernetes-group-version-kindRP- group: authorization.k8s.io
  kind: SelfSubjectRulesReview
  version: v1beta1

ô
io.k8s.api.autoscaling.v1.Scaleı".≤
object ä

kind".≤
string
N
metadataB
=#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta".
>
spec6
1#/definitions/io.k8s.api.autoscaling.v1.ScaleSpec".
B
status8
3#/definitions/io.k8s.api.autoscaling.v1.ScaleStatus".


apiVersion".≤
string˙V
x-kubernetes-group-version-kind31- group: autoscaling
  kind: Scale
  version: v1

ﬂ
Iio.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.ServiceReferenceë".ö	namespaceöname≤
object m

name".≤
string

	namespace".≤
string

path".≤
string

portint32".≤	
integer
≠
Cio.k8s.kube-aggregator.pkg.apis.apiregistration.v1.ServiceReferencef".≤
object U

name".≤
string

	namespace".≤
string

portint32".≤	
integer
Å
-io.k8s.api.authentication.v1.TokenRequestSpecœ".ö	audiences≤
object ±
*
	audiences".≤
array∫
≤
string
V
boundObjectRefD
?#/definitions/io.k8s.api.authentication.v1.BoundObjectReference".
+
expirationSecondsint64".≤	
integer
ﬂ
8io.k8s.api.networking.v1.IngressClassParametersReference¢".ökindöname≤
object Ç

	namespace".≤
string

scope".≤
string

apiGroup".≤
string

kind".≤
string

name".≤
string
Ä
io.k8s.api.core.v1.Probe„".≤
object —
8
exec0
+#/definitions/io.k8s.api.core.v1.ExecAction".
*
failureThresholdint32".≤	
integer
>
httpGet3
.#/definitions/io.k8s.api.core.v1.HTTPGetAction".
'
periodSecondsint32".≤	
integer
(
timeoutSecondsint32".≤	
integer
-
initialDelaySecondsint32".≤	
integer
*
successThresholdint32".≤	
integer
B
	tcpSocket5
0#/definitions/io.k8s.api.core.v1.TCPSocketAction".
7
terminationGracePeriodSecondsint64".≤	
integer
´
,io.k8s.api.storage.v1.VolumeAttachmentStatus˙".öattached≤
object ›
C
attachError4
/#/definitions/io.k8s.api.storage.v1.VolumeError".

attached".≤	
boolean
4
attachmentMetadata".™
≤
string≤
object
C
detachError4
/#/definitions/io.k8s.api.storage.v1.VolumeError".
s
'io.k8s.api.core.v1.HostPathVolumeSourceH".öpath≤
object 0

path".≤
string

type".≤
string
„
$io.k8s.api.core.v1.ISCSIVolumeSource∫".ötargetPortalöiqnölun≤
object ç
 
iscsiInterface".≤
string

lunint32".≤	
integer
G
	secretRef:
5#/definitions/io.k8s.api.core.v1.LocalObjectReference".

iqn".≤
string
(
portals".≤
array∫
≤
string

readOnly".≤	
boolean

targetPortal".≤
string
$
chapAuthDiscovery".≤	
boolean
"
chapAuthSession".≤	
boolean

fsType".≤
string

initiatorName".≤
string
ö
'io.k8s.api.core.v1.PortworxVolumeSourceo".övolumeID≤
object S

fsType".≤
string

readOnly".≤	
boolean

volumeID".≤
string
ó
@io.k8s.api.admissionregistration.v1.MutatingWebhookConfiguration“".≤
object ø

kind".≤
string
N
metadataB
=#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta".
∂
webhooks©".≤
array∫E
C
A#/definitions/io.k8s.api.admissionregistration.v1.MutatingWebhook˙'
x-kubernetes-patch-strategymerge
˙'
x-kubernetes-patch-merge-keyname



apiVersion".≤
string˙~
x-kubernetes-group-version-kind[Y- group: admissionregistration.k8s.io
  kind: MutatingWebhookConfiguration
  version: v1

‡
)io.k8s.api.coordination.v1beta1.LeaseSpec≤".≤
object †
 
holderIdentity".≤
string
.
leaseDurationSecondsint32".≤	
integer
*
leaseTransitionsint32".≤	
integer
N
	renewTimeA
<#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.MicroTime".
P
acquireTimeA
<#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.MicroTime".
≥
,io.k8s.api.apps.v1.StatefulSetUpdateStrategyÇ".≤
object q
W
rollingUpdateF
A#/definitions/io.k8s.api.apps.v1.RollingUpdateStatefulSetStrategy".

type".≤
string
Ã
=io.k8s.api.certificates.v1beta1.CertificateSigningRequestSpecä".örequest≤
object Ó
M
usagesC".≤
array∫
≤
string˙#
x-kubernetes-list-type	atomic


username".≤
string
6
extra-".™
≤
array∫
≤
string≤
object
M
groupsC".≤
array∫
≤
string˙#
x-kubernetes-list-type	atomic

E
request:byte".≤
string˙#
x-kubernetes-list-type	atomic



signerName".≤
string

uid".≤
string
Ï
#io.k8s.api.core.v1.VolumeProjectionƒ".≤
object ≤
Z
serviceAccountTokenC
>#/definitions/io.k8s.api.core.v1.ServiceAccountTokenProjection".
F
	configMap9
4#/definitions/io.k8s.api.core.v1.ConfigMapProjection".
J
downwardAPI;
6#/definitions/io.k8s.api.core.v1.DownwardAPIProjection".
@
secret6
1#/definitions/io.k8s.api.core.v1.SecretProjection".
ß
Eio.k8s.api.admissionregistration.v1beta1.MutatingWebhookConfiguration›".≤
object ƒ


apiVersion".≤
string

kind".≤
string
N
metadataB
=#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta".
ª
webhooksÆ".≤
array∫J
H
F#/definitions/io.k8s.api.admissionregistration.v1beta1.MutatingWebhook˙'
x-kubernetes-patch-merge-keyname
˙'
x-kubernetes-patch-strategymerge
˙É
x-kubernetes-group-version-kind`^- group: admissionregistration.k8s.io
  kind: MutatingWebhookConfiguration
  version: v1beta1

≠
Gio.k8s.api.admissionregistration.v1beta1.ValidatingWebhookConfiguration·".≤
object ∆


apiVersion".≤
string

kind".≤
string
N
metadataB
=#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta".
Ω
webhooks∞".≤
array∫L
J
H#/definitions/io.k8s.api.admissionregistration.v1beta1.ValidatingWebhook˙'
x-kubernetes-patch-strategymerge
˙'
x-kubernetes-patch-merge-keyname
˙Ö
x-kubernetes-group-version-kindb`- version: v1beta1
  group: admissionregistration.k8s.io
  kind: ValidatingWebhookConfiguration

é
+io.k8s.api.storage.v1beta1.StorageClassListﬁ".öitems≤
object ÿ
L
metadata@
;#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta".


apiVersion".≤
string
R
itemsI".≤
array∫9
7
5#/definitions/io.k8s.api.storage.v1beta1.StorageClass

kind".≤
string˙i
x-kubernetes-group-version-kindFD- group: storage.k8s.io
  kind: StorageClassList
  version: v1beta1

î
Bio.k8s.kube-aggregator.pkg.apis.apiregistration.v1beta1.APIServiceÕ".≤
object Õ


apiVersion".≤
string

kind".≤
string
K
metadata?
=#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta
a
specY
T#/definitions/io.k8s.kube-aggregator.pkg.apis.apiregistration.v1beta1.APIServiceSpec".
e
status[
V#/definitions/io.k8s.kube-aggregator.pkg.apis.apiregistration.v1beta1.APIServiceStatus".˙k
x-kubernetes-group-version-kindHF- group: apiregistration.k8s.io
  kind: APIService
  version: v1beta1

Ù
3io.k8s.api.autoscaling.v2beta2.ExternalMetricSourceº".ömetricötarget≤
object ò
L
metricB
=#/definitions/io.k8s.api.autoscaling.v2beta2.MetricIdentifier".
H
target>
9#/definitions/io.k8s.api.autoscaling.v2beta2.MetricTarget".
≥
*io.k8s.api.networking.v1.NetworkPolicyPeerÑ".≤
object Ú
>
ipBlock3
.#/definitions/io.k8s.api.networking.v1.IPBlock".
Z
namespaceSelectorE
@#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.LabelSelector".
T
podSelectorE
@#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.LabelSelector".
ô
(io.k8s.api.core.v1.EphemeralVolumeSourcem".≤
object \
Z
volumeClaimTemplateC
>#/definitions/io.k8s.api.core.v1.PersistentVolumeClaimTemplate".
®
io.k8s.api.core.v1.Lifecycleá".≤
object v
:
	postStart-
(#/definitions/io.k8s.api.core.v1.Handler".
8
preStop-
(#/definitions/io.k8s.api.core.v1.Handler".
^
*io.k8s.api.policy.v1beta1.AllowedCSIDriver0".öname≤
object 

name".≤
string
„
*io.k8s.api.storage.v1.VolumeAttachmentSpec¥".öattacherösourceönodeName≤
object É

attacher".≤
string

nodeName".≤
string
I
source?
:#/definitions/io.k8s.api.storage.v1.VolumeAttachmentSource".
û
Bio.k8s.api.admissionregistration.v1.ValidatingWebhookConfiguration◊".≤
object ¡


apiVersion".≤
string

kind".≤
string
N
metadataB
=#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta".
∏
webhooks´".≤
array∫G
E
C#/definitions/io.k8s.api.admissionregistration.v1.ValidatingWebhook˙'
x-kubernetes-patch-merge-keyname
˙'
x-kubernetes-patch-strategymerge
˙Ä
x-kubernetes-group-version-kind][- group: admissionregistration.k8s.io
  kind: ValidatingWebhookConfiguration
  version: v1

ç
3io.k8s.api.autoscaling.v2beta1.ResourceMetricStatus’".önameöcurrentAverageValue≤
object ¶
3
currentAverageUtilizationint32".≤	
integer
W
currentAverageValue@
;#/definitions/io.k8s.apimachinery.pkg.api.resource.Quantity".

name".≤
string
z
%io.k8s.api.core.v1.VolumeNodeAffinityQ".≤
object @
>
required2
-#/definitions/io.k8s.api.core.v1.NodeSelector".
ì
 io.k8s.api.node.v1beta1.Overheado".≤
object ^
\
podFixedP".™?
=
;#/definitions/io.k8s.apimachinery.pkg.api.resource.Quantity≤
object
µ
$io.k8s.api.apps.v1.StatefulSetStatuså".öreplicas≤
object Ô
¨

conditionsù".≤
array∫9
7
5#/definitions/io.k8s.api.apps.v1.StatefulSetCondition˙'
x-kubernetes-patch-merge-keytype
˙'
x-kubernetes-patch-strategymerge

!
currentRevision".≤
string
)
updatedReplicasint32".≤	
integer
"
replicasint32".≤	
integer
 
updateRevision".≤
string
(
collisionCountint32".≤	
integer
)
currentReplicasint32".≤	
integer
,
observedGenerationint64".≤	
integer
'
readyReplicasint32".≤	
integer
j
;io.k8s.api.authorization.v1beta1.SelfSubjectRulesReviewSpec+≤
object 

	namespace".≤
string
µ
=io.k8s.api.flowcontrol.v1beta1.PriorityLevelConfigurationSpecÛ".ötype≤
object x
^
limitedS
N#/definitions/io.k8s.api.flowcontrol.v1beta1.LimitedPriorityLevelConfiguration".

type".≤
string˙`
x-kubernetes-unionsIG- discriminator: type
  fields-to-discriminateBy:
    limited: Limited

µ
2io.k8s.api.policy.v1beta1.RunAsUserStrategyOptions".örule≤
object g
M
rangesC".≤
array∫3
1
/#/definitions/io.k8s.api.policy.v1beta1.IDRange

rule".≤
string
r
io.k8s.api.core.v1.HTTPHeaderQ".önameövalue≤
object 1

name".≤
string

value".≤
string
Ñ
&io.k8s.api.core.v1.NodeDaemonEndpointsZ".≤
object I
G
kubeletEndpoint4
/#/definitions/io.k8s.api.core.v1.DaemonEndpoint".
Ä
!io.k8s.api.core.v1.AttachedVolume[".önameö
devicePath≤
object 6


devicePath".≤
string

name".≤
string
ñ
(io.k8s.api.core.v1.DownwardAPIVolumeFileÈ".öpath≤
object –
O
resourceFieldRef;
6#/definitions/io.k8s.api.core.v1.ResourceFieldSelector".
E
fieldRef9
4#/definitions/io.k8s.api.core.v1.ObjectFieldSelector".

modeint32".≤	
integer

path".≤
string
Œ
!io.k8s.api.core.v1.ServiceAccount®".≤
object Ω


apiVersion".≤
string
/
automountServiceAccountToken".≤	
boolean
]
imagePullSecretsI".≤
array∫9
7
5#/definitions/io.k8s.api.core.v1.LocalObjectReference

kind".≤
string
N
metadataB
=#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta".
§
secretsò".≤
array∫4
2
0#/definitions/io.k8s.api.core.v1.ObjectReference˙'
x-kubernetes-patch-strategymerge
˙'
x-kubernetes-patch-merge-keyname
˙V
x-kubernetes-group-version-kind31- kind: ServiceAccount
  version: v1
  group: ""

Å
"io.k8s.api.rbac.v1.ClusterRoleList⁄".öitems≤
object œ


apiVersion".≤
string
I
items@".≤
array∫0
.
,#/definitions/io.k8s.api.rbac.v1.ClusterRole

kind".≤
string
L
metadata@
;#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta".˙n
x-kubernetes-group-version-kindKI- version: v1
  group: rbac.authorization.k8s.io
  kind: ClusterRoleList

¸
Zio.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1beta1.CustomResourceDefinitionListù".öitems≤
object Ö


apiVersion".≤
string
Å
itemsx".≤
array∫h
f
d#/definitions/io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1beta1.CustomResourceDefinition

kind".≤
string
I
metadata=
;#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta˙{
x-kubernetes-group-version-kindXV- group: apiextensions.k8s.io
  kind: CustomResourceDefinitionList
  version: v1beta1

ô
6io.k8s.api.admissionregistration.v1.RuleWithOperationsﬁ".≤
object Ã
,
apiVersions".≤
array∫
≤
string
+

operations".≤
array∫
≤
string
*
	resources".≤
array∫
≤
string

scope".≤
string
*
	apiGroups".≤
array∫
≤
string
m
3io.k8s.api.apps.v1.RollingUpdateStatefulSetStrategy6".≤
object %
#
	partitionint32".≤	
integer
ﬁ
io.k8s.api.core.v1.ServiceListª".öitems≤
object À

kind".≤
string
L
metadata@
;#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta".


apiVersion".≤
string
E
items<".≤
array∫,
*
(#/definitions/io.k8s.api.core.v1.Service˙S
x-kubernetes-group-version-kind0.- kind: ServiceList
  version: v1
  group: ""

Ï
"io.k8s.api.storage.v1beta1.CSINode≈".öspec≤
object …
N
metadataB
=#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta".
A
spec9
4#/definitions/io.k8s.api.storage.v1beta1.CSINodeSpec".


apiVersion".≤
string

kind".≤
string˙`
x-kubernetes-group-version-kind=;- group: storage.k8s.io
  kind: CSINode
  version: v1beta1

€
$io.k8s.api.coordination.v1.LeaseSpec≤".≤
object †
P
acquireTimeA
<#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.MicroTime".
 
holderIdentity".≤
string
.
leaseDurationSecondsint32".≤	
integer
*
leaseTransitionsint32".≤	
integer
N
	renewTimeA
<#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.MicroTime".
s
io.k8s.api.core.v1.HostAliasS".≤
object B
*
	hostnames".≤
array∫
≤
string

ip".≤
string
¬
3io.k8s.api.autoscaling.v2beta2.ResourceMetricStatusä".önameöcurrent≤
object h
N
currentC
>#/definitions/io.k8s.api.autoscaling.v2beta2.MetricValueStatus".

name".≤
string
à
(io.k8s.api.core.v1.ContainerStateRunning\".≤
object K
I
	startedAt<
7#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.Time".
z
+io.k8s.api.networking.v1.ServiceBackendPortK".≤
object :
 
numberint32".≤	
integer

name".≤
string
Ç
,io.k8s.api.networking.v1beta1.IngressBackend—".≤
object ø
K
resource?
:#/definitions/io.k8s.api.core.v1.TypedLocalObjectReference".

serviceName".≤
string
Q
servicePortB
=#/definitions/io.k8s.apimachinery.pkg.util.intstr.IntOrString".
¨
io.k8s.api.rbac.v1beta1.Subjectà".ökindöname≤
object i

apiGroup".≤
string

kind".≤
string

name".≤
string

	namespace".≤
string
Â
Aio.k8s.kube-aggregator.pkg.apis.apiregistration.v1.APIServiceSpecü".ögroupPriorityMinimumöversionPriority≤
object ‰
F
caBundle:byte".≤
string˙#
x-kubernetes-list-type	atomic


group".≤
string
.
groupPriorityMinimumint32".≤	
integer
(
insecureSkipTLSVerify".≤	
boolean
a
serviceV
Q#/definitions/io.k8s.kube-aggregator.pkg.apis.apiregistration.v1.ServiceReference".

version".≤
string
)
versionPriorityint32".≤	
integer
Â
<io.k8s.api.admissionregistration.v1beta1.WebhookClientConfig§".≤
object í
 
caBundlebyte".≤
string
W
serviceL
G#/definitions/io.k8s.api.admissionregistration.v1beta1.ServiceReference".

url".≤
string
â
'io.k8s.api.apps.v1.StatefulSetCondition›".ötypeöstatus≤
object ª

type".≤
string
R
lastTransitionTime<
7#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.Time".

message".≤
string

reason".≤
string

status".≤
string
F
)io.k8s.apimachinery.pkg.apis.meta.v1.Time	date-time".≤
string
≤
Hio.k8s.kube-aggregator.pkg.apis.apiregistration.v1beta1.ServiceReferencef".≤
object U

name".≤
string

	namespace".≤
string

portint32".≤	
integer
‰
 io.k8s.api.core.v1.ConfigMapListø".öitems≤
object Õ
G
items>".≤
array∫.
,
*#/definitions/io.k8s.api.core.v1.ConfigMap

kind".≤
string
L
metadata@
;#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta".


apiVersion".≤
string˙U
x-kubernetes-group-version-kind20- kind: ConfigMapList
  version: v1
  group: ""

›
io.k8s.api.storage.v1.CSINodeª".öspec≤
object ƒ


apiVersion".≤
string

kind".≤
string
N
metadataB
=#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta".
<
spec4
/#/definitions/io.k8s.api.storage.v1.CSINodeSpec".˙[
x-kubernetes-group-version-kind86- group: storage.k8s.io
  kind: CSINode
  version: v1

¨
0io.k8s.api.policy.v1beta1.SELinuxStrategyOptionsx".örule≤
object `

rule".≤
string
F
seLinuxOptions4
/#/definitions/io.k8s.api.core.v1.SELinuxOptions".
‰
Nio.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1beta1.ServiceReferenceë".ö	namespaceöname≤
object m

name".≤
string

	namespace".≤
string

path".≤
string

portint32".≤	
integer
°
 io.k8s.api.core.v1.ScopeSelector}".≤
object l
j
matchExpressionsV".≤
array∫F
D
B#/definitions/io.k8s.api.core.v1.ScopedResourceSelectorRequirement
ö
/io.k8s.api.storage.v1beta1.VolumeAttachmentListÊ".öitems≤
object ‹


apiVersion".≤
string
V
itemsM".≤
array∫=
;
9#/definitions/io.k8s.api.storage.v1beta1.VolumeAttachment

kind".≤
string
L
metadata@
;#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta".˙m
x-kubernetes-group-version-kindJH- group: storage.k8s.io
  kind: VolumeAttachmentList
  version: v1beta1

ø
<io.k8s.api.autoscaling.v2beta1.ContainerResourceMetricStatus˛".önameöcurrentAverageValueö	container≤
object √
3
currentAverageUtilizationint32".≤	
integer
W
currentAverageValue@
;#/definitions/io.k8s.apimachinery.pkg.api.resource.Quantity".

name".≤
string

	container".≤
string
õ
"io.k8s.api.core.v1.CSIVolumeSourceÙ".ödriver≤
object Ÿ

driver".≤
string

fsType".≤
string
R
nodePublishSecretRef:
5#/definitions/io.k8s.api.core.v1.LocalObjectReference".

readOnly".≤	
boolean
2
volumeAttributes".™
≤
string≤
object
≤
8io.k8s.api.certificates.v1.CertificateSigningRequestListı".öitems≤
object ‚


apiVersion".≤
string
_
itemsV".≤
array∫F
D
B#/definitions/io.k8s.api.certificates.v1.CertificateSigningRequest

kind".≤
string
I
metadata=
;#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta˙v
x-kubernetes-group-version-kindSQ- group: certificates.k8s.io
  kind: CertificateSigningRequestList
  version: v1


$io.k8s.api.core.v1.ResourceQuotaList«".öitems≤
object —
K
itemsB".≤
array∫2
0
.#/definitions/io.k8s.api.core.v1.ResourceQuota

kind".≤
string
L
metadata@
;#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta".


apiVersion".≤
string˙Y
x-kubernetes-group-version-kind64- group: ""
  kind: ResourceQuotaList
  version: v1

à
)io.k8s.api.networking.v1beta1.IngressList⁄".öitems≤
object ÷


apiVersion".≤
string
P
itemsG".≤
array∫7
5
3#/definitions/io.k8s.api.networking.v1beta1.Ingress

kind".≤
string
L
metadata@
;#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta".˙g
x-kubernetes-group-version-kindDB- kind: IngressList
  version: v1beta1
  group: networking.k8s.io

€
1io.k8s.api.autoscaling.v2beta1.ObjectMetricStatus•".ötargetö
metricNameöcurrentValue≤
object Ó
P
averageValue@
;#/definitions/io.k8s.apimachinery.pkg.api.resource.Quantity".
P
currentValue@
;#/definitions/io.k8s.apimachinery.pkg.api.resource.Quantity".


metricName".≤
string
Q
selectorE
@#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.LabelSelector".
W
targetM
H#/definitions/io.k8s.api.autoscaling.v2beta1.CrossVersionObjectReference".
˜
/io.k8s.api.autoscaling.v2beta2.PodsMetricStatus√".ömetricöcurrent≤
object û
N
currentC
>#/definitions/io.k8s.api.autoscaling.v2beta2.MetricValueStatus".
L
metricB
=#/definitions/io.k8s.api.autoscaling.v2beta2.MetricIdentifier".
∑
0io.k8s.api.core.v1.WindowsSecurityContextOptionsÇ".≤
object q
(
gmsaCredentialSpecName".≤
string

runAsUserName".≤
string
$
gmsaCredentialSpec".≤
string
⁄
io.k8s.api.node.v1.Scheduling∏".≤
object ¶
.
nodeSelector".™
≤
string≤
object
t
tolerationse".≤
array∫/
-
+#/definitions/io.k8s.api.core.v1.Toleration˙#
x-kubernetes-list-type	atomic

ñ
3io.k8s.apimachinery.pkg.apis.meta.v1.OwnerReferenceﬁ".ö
apiVersionökindönameöuid≤
object ´

name".≤
string

uid".≤
string


apiVersion".≤
string
%
blockOwnerDeletion".≤	
boolean


controller".≤	
boolean

kind".≤
string
∫
&io.k8s.api.core.v1.ConfigMapProjectionè".≤
object ~
G
items>".≤
array∫.
,
*#/definitions/io.k8s.api.core.v1.KeyToPath

name".≤
string

optional".≤	
boolean
Ü
#io.k8s.api.core.v1.NodeConfigSource_".≤
object N
L
	configMap?
:#/definitions/io.k8s.api.core.v1.ConfigMapNodeConfigSource".
¨
+io.k8s.api.autoscaling.v2beta2.MetricTarget¸".ötype≤
object „
I
value@
;#/definitions/io.k8s.apimachinery.pkg.api.resource.Quantity".
,
averageUtilizationint32".≤	
integer
P
averageValue@
;#/definitions/io.k8s.apimachinery.pkg.api.resource.Quantity".

type".≤
string
Î
-io.k8s.api.storage.v1beta1.CSIStorageCapacityπ".östorageClassName≤
object ¶
U
nodeTopologyE
@#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.LabelSelector".
"
storageClassName".≤
string


apiVersion".≤
string
L
capacity@
;#/definitions/io.k8s.apimachinery.pkg.api.resource.Quantity".

kind".≤
string
U
maximumVolumeSize@
;#/definitions/io.k8s.apimachinery.pkg.api.resource.Quantity".
N
metadataB
=#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta".˙k
x-kubernetes-group-version-kindHF- group: storage.k8s.io
  kind: CSIStorageCapacity
  version: v1beta1

Ô
!io.k8s.api.core.v1.SeccompProfile…".ötype≤
object <
"
localhostProfile".≤
string

type".≤
string˙r
x-kubernetes-unions[Y- discriminator: type
  fields-to-discriminateBy:
    localhostProfile: LocalhostProfile

Ÿ
%io.k8s.api.discovery.v1beta1.EndpointØ".ö	addresses≤
object ë
F
hints=
8#/definitions/io.k8s.api.discovery.v1beta1.EndpointHints".

hostname".≤
string

nodeName".≤
string
B
	targetRef5
0#/definitions/io.k8s.api.core.v1.ObjectReference".
*
topology".™
≤
string≤
object
M
	addresses@".≤
array∫
≤
string˙ 
x-kubernetes-list-typeset

P

conditionsB
=#/definitions/io.k8s.api.discovery.v1beta1.EndpointConditions".
Ö
(io.k8s.api.node.v1beta1.RuntimeClassListÿ".öitems≤
object ’
O
itemsF".≤
array∫6
4
2#/definitions/io.k8s.api.node.v1beta1.RuntimeClass

kind".≤
string
L
metadata@
;#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta".


apiVersion".≤
string˙f
x-kubernetes-group-version-kindCA- group: node.k8s.io
  kind: RuntimeClassList
  version: v1beta1

ä
,io.k8s.api.policy.v1.PodDisruptionBudgetListŸ".öitems≤
object Ÿ

kind".≤
string
L
metadata@
;#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta".


apiVersion".≤
string
S
itemsJ".≤
array∫:
8
6#/definitions/io.k8s.api.policy.v1.PodDisruptionBudget˙c
x-kubernetes-group-version-kind@>- group: policy
  kind: PodDisruptionBudgetList
  version: v1

ã
"io.k8s.api.storage.v1.TokenRequeste".öaudience≤
object I

audience".≤
string
+
expirationSecondsint64".≤	
integer
Í
"io.k8s.api.core.v1.PodTemplateList√".öitems≤
object œ


apiVersion".≤
string
I
items@".≤
array∫0
.
,#/definitions/io.k8s.api.core.v1.PodTemplate

kind".≤
string
L
metadata@
;#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta".˙W
x-kubernetes-group-version-kind42- group: ""
  kind: PodTemplateList
  version: v1

ñ
io.k8s.api.core.v1.PortStatusuöportöprotocol≤
object U

portint32".≤	
integer

protocol".≤
string

error".≤
string
™
(io.k8s.api.storage.v1beta1.CSIDriverSpec˝".≤
object Î
!
podInfoOnMount".≤	
boolean
$
requiresRepublish".≤	
boolean
"
storageCapacity".≤	
boolean
Ä
tokenRequestso".≤
array∫9
7
5#/definitions/io.k8s.api.storage.v1beta1.TokenRequest˙#
x-kubernetes-list-type	atomic

5
volumeLifecycleModes".≤
array∫
≤
string
!
attachRequired".≤	
boolean

fsGroupPolicy".≤
string
Ö
'io.k8s.api.storage.v1beta1.StorageClassŸ".öprovisioner≤
object —
'
allowVolumeExpansion".≤	
boolean
^
allowedTopologiesI".≤
array∫9
7
5#/definitions/io.k8s.api.core.v1.TopologySelectorTerm


apiVersion".≤
string

kind".≤
string
-
mountOptions".≤
array∫
≤
string
N
metadataB
=#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta".
,

parameters".™
≤
string≤
object

provisioner".≤
string

reclaimPolicy".≤
string
#
volumeBindingMode".≤
string˙e
x-kubernetes-group-version-kindB@- group: storage.k8s.io
  kind: StorageClass
  version: v1beta1

a
Zio.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1beta1.JSONSchemaPropsOrStringArray".
€
7io.k8s.api.admissionregistration.v1.WebhookClientConfigü".≤
object ç
 
caBundlebyte".≤
string
R
serviceG
B#/definitions/io.k8s.api.admissionregistration.v1.ServiceReference".

url".≤
string
¢
+io.k8s.api.authorization.v1.NonResourceRules".överbs≤
object Z
0
nonResourceURLs".≤
array∫
≤
string
&
verbs".≤
array∫
≤
string
ﬂ
 io.k8s.api.core.v1.EnvFromSource∫".≤
object ®
H
configMapRef8
3#/definitions/io.k8s.api.core.v1.ConfigMapEnvSource".

prefix".≤
string
B
	secretRef5
0#/definitions/io.k8s.api.core.v1.SecretEnvSource".
\
io.k8s.api.core.v1.ExecAction;".≤
object *
(
command".≤
array∫
≤
string
Õ
io.k8s.api.core.v1.LimitRange´".≤
object ƒ


apiVersion".≤
string

kind".≤
string
N
metadataB
=#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta".
<
spec4
/#/definitions/io.k8s.api.core.v1.LimitRangeSpec".˙R
x-kubernetes-group-version-kind/-- group: ""
  kind: LimitRange
  version: v1

ó
.io.k8s.api.networking.v1beta1.IngressClassList‰".öitems≤
object €


apiVersion".≤
string
U
itemsL".≤
array∫<
:
8#/definitions/io.k8s.api.networking.v1beta1.IngressClass

kind".≤
string
L
metadata@
;#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta".˙l
x-kubernetes-group-version-kindIG- group: networking.k8s.io
  kind: IngressClassList
  version: v1beta1

 
-io.k8s.apimachinery.pkg.apis.meta.v1.APIGroupò".önameöversions≤
object °


apiVersion".≤
string

kind".≤
string

name".≤
string
d
preferredVersionP
K#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.GroupVersionForDiscovery".
~
serverAddressByClientCIDRs`".≤
array∫P
N
L#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.ServerAddressByClientCIDR
k
versions_".≤
array∫O
M
K#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.GroupVersionForDiscovery˙P
x-kubernetes-group-version-kind-+- group: ""
  kind: APIGroup
  version: v1

Ö
$io.k8s.apimachinery.pkg.version.Info‹".ömajoröminorö
gitVersionö	gitCommitögitTreeStateö	buildDateö	goVersionöcompileröplatform≤
object ‰

	buildDate≤
string

	gitCommit≤
string

gitTreeState≤
string


gitVersion≤
string

major≤
string

compiler≤
string

	goVersion≤
string

minor≤
string

platform≤
string
ÿ
&io.k8s.api.apps.v1.DeploymentCondition≠".ötypeöstatus≤
object ã

message".≤
string

reason".≤
string

status".≤
string

type".≤
string
R
lastTransitionTime<
7#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.Time".
N
lastUpdateTime<
7#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.Time".
é
io.k8s.api.batch.v1.JobSpecÓ".ötemplate≤
object —
A
template5
0#/definitions/io.k8s.api.core.v1.PodTemplateSpec".
1
ttlSecondsAfterFinishedint32".≤	
integer
 
completionMode".≤
string
%
completionsint32".≤	
integer
!
manualSelector".≤	
boolean
%
parallelismint32".≤	
integer
Q
selectorE
@#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.LabelSelector".

suspend".≤	
boolean
/
activeDeadlineSecondsint64".≤	
integer
&
backoffLimitint32".≤	
integer
ù
Xio.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceDefinitionVersion¿".önameöservedöstorage≤
object î
ï
additionalPrinterColumnsy".≤
array∫i
g
e#/definitions/io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceColumnDefinition


deprecated".≤	
boolean
$
deprecationWarning".≤
string

name".≤
string
n
schemad
_#/definitions/io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceValidation".

served".≤	
boolean

storage".≤	
boolean
v
subresourcesf
a#/definitions/io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceSubresources".
ƒ
Fio.k8s.kube-aggregator.pkg.apis.apiregistration.v1beta1.APIServiceList˘".öitems≤
object Ì
j
itemsa≤
array∫T
R
P#/definitions/io.k8s.kube-aggregator.pkg.apis.apiregistration.v1beta1.APIService

kind".≤
string
I
metadata=
;#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta


apiVersion".≤
string˙o
x-kubernetes-group-version-kindLJ- kind: APIServiceList
  version: v1beta1
  group: apiregistration.k8s.io

≥
/io.k8s.api.autoscaling.v2beta1.PodsMetricStatusˇ".ö
metricNameöcurrentAverageValue≤
object  
W
currentAverageValue@
;#/definitions/io.k8s.apimachinery.pkg.api.resource.Quantity".


metricName".≤
string
Q
selectorE
@#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.LabelSelector".
˘
/io.k8s.api.flowcontrol.v1beta1.FlowSchemaStatus≈".≤
object ≥
∞

conditions°".≤
array∫D
B
@#/definitions/io.k8s.api.flowcontrol.v1beta1.FlowSchemaCondition˙'
x-kubernetes-list-map-keys	- type
˙ 
x-kubernetes-list-typemap

Ö
%io.k8s.api.autoscaling.v1.ScaleStatus\".öreplicas≤
object @
"
replicasint32".≤	
integer

selector".≤
string
å
)io.k8s.api.core.v1.PersistentVolumeStatus_".≤
object N

message".≤
string

phase".≤
string

reason".≤
string
™
'io.k8s.api.rbac.v1beta1.AggregationRule".≤
object n
l
clusterRoleSelectorsT".≤
array∫D
B
@#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.LabelSelector
ê
'io.k8s.api.rbac.v1beta1.ClusterRoleList‰".öitems≤
object ‘


apiVersion".≤
string
N
itemsE".≤
array∫5
3
1#/definitions/io.k8s.api.rbac.v1beta1.ClusterRole

kind".≤
string
L
metadata@
;#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta".˙s
x-kubernetes-group-version-kindPN- group: rbac.authorization.k8s.io
  kind: ClusterRoleList
  version: v1beta1

ç
io.k8s.api.apps.v1.DaemonSetÏ".≤
object Ñ

kind".≤
string
N
metadataB
=#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta".
;
spec3
.#/definitions/io.k8s.api.apps.v1.DaemonSetSpec".
?
status5
0#/definitions/io.k8s.api.apps.v1.DaemonSetStatus".


apiVersion".≤
string˙S
x-kubernetes-group-version-kind0.- group: apps
  kind: DaemonSet
  version: v1

ë
io.k8s.api.apps.v1.DeploymentÔ".≤
object Ü
@
status6
1#/definitions/io.k8s.api.apps.v1.DeploymentStatus".


apiVersion".≤
string

kind".≤
string
N
metadataB
=#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta".
<
spec4
/#/definitions/io.k8s.api.apps.v1.DeploymentSpec".˙T
x-kubernetes-group-version-kind1/- group: apps
  kind: Deployment
  version: v1

Í
io.k8s.api.core.v1.PodSpecÀ".ö
containers≤
object ¨
≥
ephemeralContainersõ".≤
array∫7
5
3#/definitions/io.k8s.api.core.v1.EphemeralContainer˙'
x-kubernetes-patch-merge-keyname
˙'
x-kubernetes-patch-strategymerge


hostname".≤
string
•
initContainersí".≤
array∫.
,
*#/definitions/io.k8s.api.core.v1.Container˙'
x-kubernetes-patch-merge-keyname
˙'
x-kubernetes-patch-strategymerge

$
setHostnameAsFQDN".≤	
boolean

	dnsPolicy".≤
string
%
enableServiceLinks".≤	
boolean
 
serviceAccount".≤
string
7
terminationGracePeriodSecondsint64".≤	
integer
#
priorityClassName".≤
string
"
runtimeClassName".≤
string
:
affinity.
)#/definitions/io.k8s.api.core.v1.Affinity".

hostNetwork".≤	
boolean

hostPID".≤	
boolean
"
priorityint32".≤	
integer
N
tolerations?".≤
array∫/
-
+#/definitions/io.k8s.api.core.v1.Toleration
†
hostAliasesê".≤
array∫.
,
*#/definitions/io.k8s.api.core.v1.HostAlias˙%
x-kubernetes-patch-merge-keyip
˙'
x-kubernetes-patch-strategymerge


hostIPC".≤	
boolean
≤
imagePullSecretsù".≤
array∫9
7
5#/definitions/io.k8s.api.core.v1.LocalObjectReference˙'
x-kubernetes-patch-strategymerge
˙'
x-kubernetes-patch-merge-keyname

.
nodeSelector".™
≤
string≤
object
"
preemptionPolicy".≤
string
(
shareProcessNamespace".≤	
boolean
Æ
topologySpreadConstraintsê".≤
array∫=
;
9#/definitions/io.k8s.api.core.v1.TopologySpreadConstraint˙B
x-kubernetes-list-map-keys$"- topologyKey
- whenUnsatisfiable
˙ 
x-kubernetes-list-typemap
˙.
x-kubernetes-patch-merge-keytopologyKey
˙'
x-kubernetes-patch-strategymerge

/
automountServiceAccountToken".≤	
boolean
?
	dnsConfig2
-#/definitions/io.k8s.api.core.v1.PodDNSConfig".

	subdomain".≤
string

restartPolicy".≤
string

schedulerName".≤
string
W
readinessGatesE".≤
array∫5
3
1#/definitions/io.k8s.api.core.v1.PodReadinessGate
$
serviceAccountName".≤
string

nodeName".≤
string
\
overheadP".™?
=
;#/definitions/io.k8s.apimachinery.pkg.api.resource.Quantity≤
object
K
securityContext8
3#/definitions/io.k8s.api.core.v1.PodSecurityContext".
¶
volumesö".≤
array∫+
)
'#/definitions/io.k8s.api.core.v1.Volume˙'
x-kubernetes-patch-merge-keyname
˙2
x-kubernetes-patch-strategymerge,retainKeys

/
activeDeadlineSecondsint64".≤	
integer
°

containersí".≤
array∫.
,
*#/definitions/io.k8s.api.core.v1.Container˙'
x-kubernetes-patch-merge-keyname
˙'
x-kubernetes-patch-strategymerge

à
)io.k8s.api.networking.v1.IngressClassList⁄".öitems≤
object ÷

kind".≤
string
L
metadata@
;#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta".


apiVersion".≤
string
P
itemsG".≤
array∫7
5
3#/definitions/io.k8s.api.networking.v1.IngressClass˙g
x-kubernetes-group-version-kindDB- group: networking.k8s.io
  kind: IngressClassList
  version: v1

£
"io.k8s.api.rbac.v1beta1.PolicyRule¸".överbs≤
object ‚
*
	apiGroups".≤
array∫
≤
string
0
nonResourceURLs".≤
array∫
≤
string
.
resourceNames".≤
array∫
≤
string
*
	resources".≤
array∫
≤
string
&
verbs".≤
array∫
≤
string
Í
!io.k8s.api.storage.v1.CSINodeSpecƒ".ödrivers≤
object ®
•
driversô".≤
array∫5
3
1#/definitions/io.k8s.api.storage.v1.CSINodeDriver˙'
x-kubernetes-patch-merge-keyname
˙'
x-kubernetes-patch-strategymerge

V
Oio.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaPropsOrArray".
‹
2io.k8s.api.core.v1.AzureFilePersistentVolumeSource•".ö
secretNameö	shareName≤
object {

readOnly".≤	
boolean


secretName".≤
string
!
secretNamespace".≤
string

	shareName".≤
string
“
io.k8s.api.core.v1.PodList≥".öitems≤
object «


apiVersion".≤
string
A
items8".≤
array∫(
&
$#/definitions/io.k8s.api.core.v1.Pod

kind".≤
string
L
metadata@
;#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta".˙O
x-kubernetes-group-version-kind,*- group: ""
  kind: PodList
  version: v1

ˆ
#io.k8s.api.events.v1beta1.EventListŒ".öitems≤
object –


apiVersion".≤
string
J
itemsA".≤
array∫1
/
-#/definitions/io.k8s.api.events.v1beta1.Event

kind".≤
string
L
metadata@
;#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta".˙a
x-kubernetes-group-version-kind><- version: v1beta1
  group: events.k8s.io
  kind: EventList

›
@io.k8s.api.flowcontrol.v1beta1.LimitedPriorityLevelConfigurationò".≤
object Ü
2
assuredConcurrencySharesint32".≤	
integer
P
limitResponse?
:#/definitions/io.k8s.api.flowcontrol.v1beta1.LimitResponse".
ò
$io.k8s.api.networking.v1.IngressSpecÔ".≤
object ›
L
defaultBackend:
5#/definitions/io.k8s.api.networking.v1.IngressBackend".
"
ingressClassName".≤
string
u
rulesl".≤
array∫6
4
2#/definitions/io.k8s.api.networking.v1.IngressRule˙#
x-kubernetes-list-type	atomic

r
tlsk".≤
array∫5
3
1#/definitions/io.k8s.api.networking.v1.IngressTLS˙#
x-kubernetes-list-type	atomic

Ç
(io.k8s.api.storage.v1beta1.CSINodeDriver’".önameönodeID≤
object ≥
P
allocatableA
<#/definitions/io.k8s.api.storage.v1beta1.VolumeNodeResources".

name".≤
string

nodeID".≤
string
-
topologyKeys".≤
array∫
≤
string
\
Uio.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaPropsOrStringArray".
Ó
4io.k8s.api.authorization.v1.LocalSubjectAccessReviewµ".öspec≤
object ß
R
statusH
C#/definitions/io.k8s.api.authorization.v1.SubjectAccessReviewStatus".


apiVersion".≤
string

kind".≤
string
K
metadata?
=#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta
N
specF
A#/definitions/io.k8s.api.authorization.v1.SubjectAccessReviewSpec".˙r
x-kubernetes-group-version-kindOM- group: authorization.k8s.io
  kind: LocalSubjectAccessReview
  version: v1

Ü
3io.k8s.api.authorization.v1beta1.ResourceAttributesŒ".≤
object º

name".≤
string

	namespace".≤
string

resource".≤
string

subresource".≤
string

verb".≤
string

version".≤
string

group".≤
string
Ö
&io.k8s.api.networking.v1.IngressStatus[".≤
object J
H
loadBalancer8
3#/definitions/io.k8s.api.core.v1.LoadBalancerStatus".
 
3io.k8s.api.policy.v1beta1.PodDisruptionBudgetStatusí".ödisruptionsAllowedöcurrentHealthyödesiredHealthyöexpectedPods≤
object ∫
Ä

conditionsÒ".≤
array∫@
>
<#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.Condition˙'
x-kubernetes-list-map-keys	- type
˙ 
x-kubernetes-list-typemap
˙'
x-kubernetes-patch-merge-keytype
˙'
x-kubernetes-patch-strategymerge

(
currentHealthyint32".≤	
integer
(
desiredHealthyint32".≤	
integer
]
disruptedPodsL".™;
9
7#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.Time≤
object
,
disruptionsAllowedint32".≤	
integer
&
expectedPodsint32".≤	
integer
,
observedGenerationint64".≤	
integer
Ú
$io.k8s.api.storage.v1beta1.CSIDriver…".öspec≤
object À


apiVersion".≤
string

kind".≤
string
N
metadataB
=#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta".
C
spec;
6#/definitions/io.k8s.api.storage.v1beta1.CSIDriverSpec".˙b
x-kubernetes-group-version-kind?=- group: storage.k8s.io
  kind: CSIDriver
  version: v1beta1

å
9io.k8s.api.authorization.v1beta1.SubjectRulesReviewStatusŒ".öresourceRulesönonResourceRulesö
incomplete≤
object å
!
evaluationError".≤
string


incomplete".≤	
boolean
f
nonResourceRulesR".≤
array∫B
@
>#/definitions/io.k8s.api.authorization.v1beta1.NonResourceRule
`
resourceRulesO".≤
array∫?
=
;#/definitions/io.k8s.api.authorization.v1beta1.ResourceRule
√
(io.k8s.api.networking.v1.HTTPIngressPathñ".öbackend≤
object {
E
backend:
5#/definitions/io.k8s.api.networking.v1.IngressBackend".

path".≤
string

pathType".≤
string
…
 io.k8s.api.events.v1.EventSeries§".öcountölastObservedTime≤
object x

countint32".≤	
integer
U
lastObservedTimeA
<#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.MicroTime".
ˆ
#io.k8s.api.storage.v1.CSIDriverListŒ".öitems≤
object –

kind".≤
string
L
metadata@
;#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta".


apiVersion".≤
string
J
itemsA".≤
array∫1
/
-#/definitions/io.k8s.api.storage.v1.CSIDriver˙a
x-kubernetes-group-version-kind><- group: storage.k8s.io
  kind: CSIDriverList
  version: v1

ò
Sio.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1beta1.ExternalDocumentationA".≤
object 0

description≤
string

url≤
string
œ
5io.k8s.api.autoscaling.v1.HorizontalPodAutoscalerSpecï".öscaleTargetRefömaxReplicas≤
object ‰
8
targetCPUUtilizationPercentageint32".≤	
integer
%
maxReplicasint32".≤	
integer
%
minReplicasint32".≤	
integer
Z
scaleTargetRefH
C#/definitions/io.k8s.api.autoscaling.v1.CrossVersionObjectReference".
©
<io.k8s.api.autoscaling.v2beta2.HorizontalPodAutoscalerStatusË".öcurrentReplicasödesiredReplicasö
conditions≤
object •
)
desiredReplicasint32".≤	
integer
M
lastScaleTime<
7#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.Time".
,
observedGenerationint64".≤	
integer
o

conditionsa".≤
array∫Q
O
M#/definitions/io.k8s.api.autoscaling.v2beta2.HorizontalPodAutoscalerCondition
_
currentMetricsM".≤
array∫=
;
9#/definitions/io.k8s.api.autoscaling.v2beta2.MetricStatus
)
currentReplicasint32".≤	
integer
„
!io.k8s.api.core.v1.FCVolumeSourceΩ".≤
object ´

fsType".≤
string

lunint32".≤	
integer

readOnly".≤	
boolean
+

targetWWNs".≤
array∫
≤
string
&
wwids".≤
array∫
≤
string
ÿ
*io.k8s.api.rbac.v1beta1.ClusterRoleBinding©".öroleRef≤
object î


apiVersion".≤
string

kind".≤
string
N
metadataB
=#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta".
=
roleRef2
-#/definitions/io.k8s.api.rbac.v1beta1.RoleRef".
M
subjectsA".≤
array∫1
/
-#/definitions/io.k8s.api.rbac.v1beta1.Subject˙v
x-kubernetes-group-version-kindSQ- group: rbac.authorization.k8s.io
  kind: ClusterRoleBinding
  version: v1beta1

î
#io.k8s.api.apps.v1.DeploymentStatusÏ".≤
object ⁄
'
readyReplicasint32".≤	
integer
"
replicasint32".≤	
integer
-
unavailableReplicasint32".≤	
integer
)
updatedReplicasint32".≤	
integer
+
availableReplicasint32".≤	
integer
(
collisionCountint32".≤	
integer
´

conditionsú".≤
array∫8
6
4#/definitions/io.k8s.api.apps.v1.DeploymentCondition˙'
x-kubernetes-patch-merge-keytype
˙'
x-kubernetes-patch-strategymerge

,
observedGenerationint64".≤	
integer
]
!io.k8s.api.core.v1.DaemonEndpoint8".öPort≤
object  

Portint32".≤	
integer
Ç
&io.k8s.api.core.v1.ObjectFieldSelectorX".ö	fieldPath≤
object ;


apiVersion".≤
string

	fieldPath".≤
string
Ñ
$io.k8s.api.core.v1.ResourceQuotaSpec€".≤
object …
X
hardP".™?
=
;#/definitions/io.k8s.apimachinery.pkg.api.resource.Quantity≤
object
D
scopeSelector3
.#/definitions/io.k8s.api.core.v1.ScopeSelector".
'
scopes".≤
array∫
≤
string
Ï
 io.k8s.api.discovery.v1.Endpoint«".ö	addresses≤
object ©
M
	addresses@".≤
array∫
≤
string˙ 
x-kubernetes-list-typeset

K

conditions=
8#/definitions/io.k8s.api.discovery.v1.EndpointConditions".
4
deprecatedTopology".™
≤
string≤
object
A
hints8
3#/definitions/io.k8s.api.discovery.v1.EndpointHints".

hostname".≤
string

nodeName".≤
string
B
	targetRef5
0#/definitions/io.k8s.api.core.v1.ObjectReference".

zone".≤
string
j
6io.k8s.api.flowcontrol.v1beta1.FlowDistinguisherMethod0".ötype≤
object 

type".≤
string
◊
Qio.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceValidationÅ".≤
object p
n
openAPIV3Schema[
V#/definitions/io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaProps".
È
!io.k8s.api.apps.v1.ReplicaSetList√".öitems≤
object Œ


apiVersion".≤
string
H
items?".≤
array∫/
-
+#/definitions/io.k8s.api.apps.v1.ReplicaSet

kind".≤
string
L
metadata@
;#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta".˙X
x-kubernetes-group-version-kind53- group: apps
  kind: ReplicaSetList
  version: v1

ù
 io.k8s.api.batch.v1beta1.CronJob¯".≤
object å

kind".≤
string
N
metadataB
=#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta".
?
spec7
2#/definitions/io.k8s.api.batch.v1beta1.CronJobSpec".
C
status9
4#/definitions/io.k8s.api.batch.v1beta1.CronJobStatus".


apiVersion".≤
string˙W
x-kubernetes-group-version-kind42- group: batch
  kind: CronJob
  version: v1beta1

ñ
)io.k8s.api.rbac.v1.ClusterRoleBindingListË".öitems≤
object ÷


apiVersion".≤
string
P
itemsG".≤
array∫7
5
3#/definitions/io.k8s.api.rbac.v1.ClusterRoleBinding

kind".≤
string
L
metadata@
;#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta".˙u
x-kubernetes-group-version-kindRP- group: rbac.authorization.k8s.io
  kind: ClusterRoleBindingList
  version: v1

¡
_io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1beta1.CustomResourceDefinitionCondition›".ötypeöstatus≤
object ª

type".≤
string
R
lastTransitionTime<
7#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.Time".

message".≤
string

reason".≤
string

status".≤
string
Í
1io.k8s.api.autoscaling.v2beta2.ObjectMetricStatus¥".ömetricöcurrentödescribedObject≤
object ˝
N
currentC
>#/definitions/io.k8s.api.autoscaling.v2beta2.MetricValueStatus".
]
describedObjectJ
H#/definitions/io.k8s.api.autoscaling.v2beta2.CrossVersionObjectReference
L
metricB
=#/definitions/io.k8s.api.autoscaling.v2beta2.MetricIdentifier".
®
io.k8s.api.core.v1.EnvVarä".öname≤
object r

name".≤
string

value".≤
string
?
	valueFrom2
-#/definitions/io.k8s.api.core.v1.EnvVarSource".
§
 io.k8s.api.core.v1.HTTPGetActionˇ".öport≤
object Ê

path".≤
string
J
portB
=#/definitions/io.k8s.apimachinery.pkg.util.intstr.IntOrString".

scheme".≤
string

host".≤
string
N
httpHeaders?".≤
array∫/
-
+#/definitions/io.k8s.api.core.v1.HTTPHeader
£
.io.k8s.api.core.v1.PersistentVolumeClaimStatus".≤
object ﬁ
,
accessModes".≤
array∫
≤
string
\
capacityP".™?
=
;#/definitions/io.k8s.apimachinery.pkg.api.resource.Quantity≤
object
∂

conditionsß".≤
array∫C
A
?#/definitions/io.k8s.api.core.v1.PersistentVolumeClaimCondition˙'
x-kubernetes-patch-merge-keytype
˙'
x-kubernetes-patch-strategymerge


phase".≤
string
Ô
&io.k8s.api.core.v1.QuobyteVolumeSourceƒ".öregistryövolume≤
object û

user".≤
string

volume".≤
string

group".≤
string

readOnly".≤	
boolean

registry".≤
string

tenant".≤
string
¨
Hio.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaPropsﬂ".≤
object Õ
$
minPropertiesint64≤	
integer
p
anyOfg≤
array∫Z
X
V#/definitions/io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaProps

description≤
string
X
exampleM
K#/definitions/io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSON
h
items_
]#/definitions/io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaPropsOrArray

maxItemsint64≤	
integer
 
	maxLengthint64≤	
integer
}
patternPropertiesh™Z
X
V#/definitions/io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaProps≤
object
n
externalDocs^
\#/definitions/io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.ExternalDocumentation
$
maxPropertiesint64≤	
integer

minItemsint64≤	
integer

minimumdouble≤
number
!

multipleOfdouble≤
number

pattern≤
string

$ref≤
string
d
enum\≤
array∫O
M
K#/definitions/io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSON
&
required≤
array∫
≤
string

maximumdouble≤
number
 
	minLengthint64≤	
integer

type≤
string
-
x-kubernetes-int-or-string".≤	
boolean
(
x-kubernetes-list-type".≤
string
w
definitionsh™Z
X
V#/definitions/io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaProps≤
object
v

propertiesh™Z
X
V#/definitions/io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaProps≤
object

title≤
string
;
x-kubernetes-list-map-keys".≤
array∫
≤
string
Ö
dependenciesu™g
e
c#/definitions/io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaPropsOrStringArray≤
object
 
exclusiveMinimum≤	
boolean
p
oneOfg≤
array∫Z
X
V#/definitions/io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaProps
7
$x-kubernetes-preserve-unknown-fields".≤	
boolean
q
additionalItems^
\#/definitions/io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaPropsOrBool
p
allOfg≤
array∫Z
X
V#/definitions/io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaProps
[
defaultP
K#/definitions/io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSON".

id≤
string

nullable≤	
boolean
1
x-kubernetes-embedded-resource".≤	
boolean
'
x-kubernetes-map-type".≤
string

$schema≤
string
v
additionalProperties^
\#/definitions/io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaPropsOrBool
 
exclusiveMaximum≤	
boolean

format".≤
string
_
notX
V#/definitions/io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaProps

uniqueItems≤	
boolean
Ä
7io.k8s.api.autoscaling.v1.HorizontalPodAutoscalerStatusƒ".öcurrentReplicasödesiredReplicas≤
object é
9
currentCPUUtilizationPercentageint32".≤	
integer
)
currentReplicasint32".≤	
integer
)
desiredReplicasint32".≤	
integer
M
lastScaleTime<
7#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.Time".
,
observedGenerationint64".≤	
integer
°
?io.k8s.api.autoscaling.v2beta2.HorizontalPodAutoscalerCondition›".ötypeöstatus≤
object ª
R
lastTransitionTime<
7#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.Time".

message".≤
string

reason".≤
string

status".≤
string

type".≤
string
ı
<io.k8s.api.autoscaling.v2beta2.ContainerResourceMetricStatus¥".önameöcurrentö	container≤
object Ö
N
currentC
>#/definitions/io.k8s.api.autoscaling.v2beta2.MetricValueStatus".

name".≤
string

	container".≤
string
Ÿ
'io.k8s.api.networking.v1.IngressBackend≠".≤
object õ
K
resource?
:#/definitions/io.k8s.api.core.v1.TypedLocalObjectReference".
L
serviceA
<#/definitions/io.k8s.api.networking.v1.IngressServiceBackend".
Ç
io.k8s.api.core.v1.Affinity‚".≤
object –
@
podAffinity1
,#/definitions/io.k8s.api.core.v1.PodAffinity".
H
podAntiAffinity5
0#/definitions/io.k8s.api.core.v1.PodAntiAffinity".
B
nodeAffinity2
-#/definitions/io.k8s.api.core.v1.NodeAffinity".
¢
(io.k8s.api.core.v1.GlusterfsVolumeSourcev".ö	endpointsöpath≤
object R

	endpoints".≤
string

path".≤
string

readOnly".≤	
boolean
Û
%io.k8s.api.core.v1.ServiceAccountList…".öitems≤
object “
L
itemsC".≤
array∫3
1
/#/definitions/io.k8s.api.core.v1.ServiceAccount

kind".≤
string
L
metadata@
;#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta".


apiVersion".≤
string˙Z
x-kubernetes-group-version-kind75- version: v1
  group: ""
  kind: ServiceAccountList

Ÿ
)io.k8s.api.networking.v1beta1.IngressSpec´".≤
object ô
"
ingressClassName".≤
string
T
rulesK".≤
array∫;
9
7#/definitions/io.k8s.api.networking.v1beta1.IngressRule
Q
tlsJ".≤
array∫:
8
6#/definitions/io.k8s.api.networking.v1beta1.IngressTLS
J
backend?
:#/definitions/io.k8s.api.networking.v1beta1.IngressBackend".
Å
.io.k8s.api.authorization.v1.ResourceAttributesŒ".≤
object º

verb".≤
string

version".≤
string

group".≤
string

name".≤
string

	namespace".≤
string

resource".≤
string

subresource".≤
string
à
)io.k8s.api.coordination.v1beta1.LeaseList⁄".öitems≤
object ÷


apiVersion".≤
string
P
itemsG".≤
array∫7
5
3#/definitions/io.k8s.api.coordination.v1beta1.Lease

kind".≤
string
L
metadata@
;#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta".˙g
x-kubernetes-group-version-kindDB- group: coordination.k8s.io
  kind: LeaseList
  version: v1beta1

h
%io.k8s.api.core.v1.PodDNSConfigOption?".≤
object .

name".≤
string

value≤
string
õ
 io.k8s.api.core.v1.ResourceQuotaˆ".≤
object å


apiVersion".≤
string

kind".≤
string
N
metadataB
=#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta".
?
spec7
2#/definitions/io.k8s.api.core.v1.ResourceQuotaSpec".
C
status9
4#/definitions/io.k8s.api.core.v1.ResourceQuotaStatus".˙U
x-kubernetes-group-version-kind20- group: ""
  kind: ResourceQuota
  version: v1

Á
%io.k8s.api.core.v1.SecretVolumeSourceΩ".≤
object ´
%
defaultModeint32".≤	
integer
G
items>".≤
array∫.
,
*#/definitions/io.k8s.api.core.v1.KeyToPath

optional".≤	
boolean


secretName".≤
string
É
io.k8s.api.core.v1.Service‰".≤
object Ä
=
status3
.#/definitions/io.k8s.api.core.v1.ServiceStatus".


apiVersion".≤
string

kind".≤
string
N
metadataB
=#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta".
9
spec1
,#/definitions/io.k8s.api.core.v1.ServiceSpec".˙O
x-kubernetes-group-version-kind,*- group: ""
  kind: Service
  version: v1

¢
)io.k8s.api.extensions.v1beta1.IngressRuleu".≤
object d
J
httpB
@#/definitions/io.k8s.api.extensions.v1beta1.HTTPIngressRuleValue

host".≤
string
≤
!io.k8s.api.core.v1.EndpointSubsetå".≤
object ˙
Q
	addressesD".≤
array∫4
2
0#/definitions/io.k8s.api.core.v1.EndpointAddress
Y
notReadyAddressesD".≤
array∫4
2
0#/definitions/io.k8s.api.core.v1.EndpointAddress
J
portsA".≤
array∫1
/
-#/definitions/io.k8s.api.core.v1.EndpointPort
y
&io.k8s.api.core.v1.FlockerVolumeSourceO".≤
object >

datasetName".≤
string

datasetUUID".≤
string
√
&io.k8s.api.storage.v1.VolumeAttachmentò".öspec≤
object ò
N
metadataB
=#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta".
E
spec=
8#/definitions/io.k8s.api.storage.v1.VolumeAttachmentSpec".
I
status?
:#/definitions/io.k8s.api.storage.v1.VolumeAttachmentStatus".


apiVersion".≤
string

kind".≤
string˙d
x-kubernetes-group-version-kindA?- group: storage.k8s.io
  kind: VolumeAttachment
  version: v1

ó
!io.k8s.api.storage.v1.VolumeErrorr".≤
object a

message".≤
string
D
time<
7#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.Time".
π
1io.k8s.apimachinery.pkg.apis.meta.v1.APIGroupListÉ".ögroups≤
object ë


apiVersion".≤
string
Y
groupsO".≤
array∫?
=
;#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.APIGroup

kind".≤
string˙T
x-kubernetes-group-version-kind1/- group: ""
  kind: APIGroupList
  version: v1

›
io.k8s.api.core.v1.Endpointsº".≤
object ÷


apiVersion".≤
string

kind".≤
string
N
metadataB
=#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta".
N
subsetsC".≤
array∫3
1
/#/definitions/io.k8s.api.core.v1.EndpointSubset˙Q
x-kubernetes-group-version-kind.,- group: ""
  kind: Endpoints
  version: v1

Ñ
 io.k8s.api.core.v1.ServiceStatusﬂ".≤
object Õ
Ä

conditionsÒ".≤
array∫@
>
<#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.Condition˙'
x-kubernetes-list-map-keys	- type
˙ 
x-kubernetes-list-typemap
˙'
x-kubernetes-patch-merge-keytype
˙'
x-kubernetes-patch-strategymerge

H
loadBalancer8
3#/definitions/io.k8s.api.core.v1.LoadBalancerStatus".
é
!io.k8s.api.core.v1.LimitRangeSpeci".ölimits≤
object O
M
limitsC".≤
array∫3
1
/#/definitions/io.k8s.api.core.v1.LimitRangeItem
Œ
-io.k8s.api.networking.v1beta1.HTTPIngressPathú".öbackend≤
object Ä
J
backend?
:#/definitions/io.k8s.api.networking.v1beta1.IngressBackend".

path".≤
string

pathType".≤
string
˘
+io.k8s.api.policy.v1beta1.PodSecurityPolicy…".≤
object “
J
specB
=#/definitions/io.k8s.api.policy.v1beta1.PodSecurityPolicySpec".


apiVersion".≤
string

kind".≤
string
N
metadataB
=#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta".˙b
x-kubernetes-group-version-kind?=- group: policy
  kind: PodSecurityPolicy
  version: v1beta1

∏
&io.k8s.api.scheduling.v1.PriorityClassç".övalue≤
object å

kind".≤
string
N
metadataB
=#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta".
"
preemptionPolicy".≤
string

valueint32".≤	
integer


apiVersion".≤
string

description".≤
string
 
globalDefault".≤	
boolean˙d
x-kubernetes-group-version-kindA?- group: scheduling.k8s.io
  kind: PriorityClass
  version: v1

˝
4io.k8s.api.authorization.v1.SubjectRulesReviewStatusƒ".öresourceRulesönonResourceRulesö
incomplete≤
object Ç
!
evaluationError".≤
string


incomplete".≤	
boolean
a
nonResourceRulesM".≤
array∫=
;
9#/definitions/io.k8s.api.authorization.v1.NonResourceRule
[
resourceRulesJ".≤
array∫:
8
6#/definitions/io.k8s.api.authorization.v1.ResourceRule
ß
0io.k8s.api.authorization.v1beta1.NonResourceRules".överbs≤
object Z
0
nonResourceURLs".≤
array∫
≤
string
&
verbs".≤
array∫
≤
string
÷
:io.k8s.api.autoscaling.v2beta2.HorizontalPodAutoscalerSpecó".öscaleTargetRefömaxReplicas≤
object Ê
]
behaviorQ
L#/definitions/io.k8s.api.autoscaling.v2beta2.HorizontalPodAutoscalerBehavior".
%
maxReplicasint32".≤	
integer
V
metricsK".≤
array∫;
9
7#/definitions/io.k8s.api.autoscaling.v2beta2.MetricSpec
%
minReplicasint32".≤	
integer
_
scaleTargetRefM
H#/definitions/io.k8s.api.autoscaling.v2beta2.CrossVersionObjectReference".
–
"io.k8s.api.core.v1.EndpointAddress©".öip≤
object í

hostname".≤
string

ip".≤
string

nodeName".≤
string
B
	targetRef5
0#/definitions/io.k8s.api.core.v1.ObjectReference".
ﬂ
"io.k8s.api.node.v1beta1.Scheduling∏".≤
object ¶
.
nodeSelector".™
≤
string≤
object
t
tolerationse".≤
array∫/
-
+#/definitions/io.k8s.api.core.v1.Toleration˙#
x-kubernetes-list-type	atomic

‡
Fio.k8s.api.admissionregistration.v1.ValidatingWebhookConfigurationListï".öitems≤
object Û


apiVersion".≤
string
m
itemsd".≤
array∫T
R
P#/definitions/io.k8s.api.admissionregistration.v1.ValidatingWebhookConfiguration

kind".≤
string
L
metadata@
;#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta".˙Ñ
x-kubernetes-group-version-kinda_- version: v1
  group: admissionregistration.k8s.io
  kind: ValidatingWebhookConfigurationList

Ï
2io.k8s.api.authorization.v1.SelfSubjectRulesReviewµ".öspec≤
object ©
K
metadata?
=#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta
Q
specI
D#/definitions/io.k8s.api.authorization.v1.SelfSubjectRulesReviewSpec".
Q
statusG
B#/definitions/io.k8s.api.authorization.v1.SubjectRulesReviewStatus".


apiVersion".≤
string

kind".≤
string˙p
x-kubernetes-group-version-kindMK- kind: SelfSubjectRulesReview
  version: v1
  group: authorization.k8s.io

–
#io.k8s.api.rbac.v1beta1.ClusterRole®".≤
object §
M
aggregationRule:
5#/definitions/io.k8s.api.rbac.v1beta1.AggregationRule".


apiVersion".≤
string

kind".≤
string
N
metadataB
=#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta".
M
rulesD".≤
array∫4
2
0#/definitions/io.k8s.api.rbac.v1beta1.PolicyRule˙o
x-kubernetes-group-version-kindLJ- group: rbac.authorization.k8s.io
  kind: ClusterRole
  version: v1beta1

Â
Xio.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1beta1.CustomResourceSubresourcesà".≤
object ˆ
x
scaleo
j#/definitions/io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1beta1.CustomResourceSubresourceScale".
z
statusp
k#/definitions/io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1beta1.CustomResourceSubresourceStatus".
Ó
.io.k8s.api.authentication.v1.TokenReviewStatusª".≤
object ©
*
	audiences".≤
array∫
≤
string
 
authenticated".≤	
boolean

error".≤
string
@
user8
3#/definitions/io.k8s.api.authentication.v1.UserInfo".
ì
1io.k8s.api.core.v1.ReplicationControllerCondition›".ötypeöstatus≤
object ª

status".≤
string

type".≤
string
R
lastTransitionTime<
7#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.Time".

message".≤
string

reason".≤
string
é
'io.k8s.api.core.v1.ConfigMapKeySelectorc".ökey≤
object L

key".≤
string

name".≤
string

optional".≤	
boolean
¸
,io.k8s.api.core.v1.ConfigMapNodeConfigSourceÀ".ö	namespaceönameökubeletConfigKey≤
object ì
"
kubeletConfigKey".≤
string

name".≤
string

	namespace".≤
string
!
resourceVersion".≤
string

uid".≤
string
Ä
(io.k8s.api.core.v1.StorageOSVolumeSource”".≤
object ¡

fsType".≤
string

readOnly".≤	
boolean
G
	secretRef:
5#/definitions/io.k8s.api.core.v1.LocalObjectReference".


volumeName".≤
string
!
volumeNamespace".≤
string
Û
"io.k8s.api.policy.v1beta1.EvictionÃ".≤
object ﬁ


apiVersion".≤
string
V
deleteOptionsE
@#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.DeleteOptions".

kind".≤
string
N
metadataB
=#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta".˙Y
x-kubernetes-group-version-kind64- group: policy
  kind: Eviction
  version: v1beta1

◊
+io.k8s.api.storage.v1beta1.VolumeAttachmentß".öspec≤
object ¢


apiVersion".≤
string

kind".≤
string
N
metadataB
=#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta".
J
specB
=#/definitions/io.k8s.api.storage.v1beta1.VolumeAttachmentSpec".
N
statusD
?#/definitions/io.k8s.api.storage.v1beta1.VolumeAttachmentStatus".˙i
x-kubernetes-group-version-kindFD- group: storage.k8s.io
  kind: VolumeAttachment
  version: v1beta1

‹
Uio.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceDefinitionSpecÇ".ögroupönamesöscopeöversions≤
object Õ
r

conversiond
_#/definitions/io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceConversion".

group".≤
string
r
namesi
d#/definitions/io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceDefinitionNames".
(
preserveUnknownFields".≤	
boolean

scope".≤
string
Ü
versionsz".≤
array∫j
h
f#/definitions/io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceDefinitionVersion
 
4io.k8s.api.admissionregistration.v1.ServiceReferenceë".ö	namespaceöname≤
object m

name".≤
string

	namespace".≤
string

path".≤
string

portint32".≤	
integer
±
/io.k8s.api.autoscaling.v2beta1.PodsMetricSource˝".ö
metricNameötargetAverageValue≤
object …


metricName".≤
string
Q
selectorE
@#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.LabelSelector".
V
targetAverageValue@
;#/definitions/io.k8s.apimachinery.pkg.api.resource.Quantity".
Õ
-io.k8s.apimachinery.pkg.apis.meta.v1.ListMetaõ".≤
object â

continue".≤
string
,
remainingItemCountint64".≤	
integer
!
resourceVersion".≤
string

selfLink".≤
string
˜
io.k8s.api.core.v1.Node€".≤
object ˙


apiVersion".≤
string

kind".≤
string
N
metadataB
=#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta".
6
spec.
)#/definitions/io.k8s.api.core.v1.NodeSpec".
:
status0
+#/definitions/io.k8s.api.core.v1.NodeStatus".˙L
x-kubernetes-group-version-kind)'- group: ""
  kind: Node
  version: v1

‡
,io.k8s.api.core.v1.RBDPersistentVolumeSourceØ".ömonitorsöimage≤
object ä

pool".≤
string

readOnly".≤	
boolean
B
	secretRef5
0#/definitions/io.k8s.api.core.v1.SecretReference".

user".≤
string

fsType".≤
string

image".≤
string

keyring".≤
string
)
monitors".≤
array∫
≤
string
Œ
%io.k8s.api.events.v1beta1.EventSeries§".öcountölastObservedTime≤
object x

countint32".≤	
integer
U
lastObservedTimeA
<#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.MicroTime".
Ï
,io.k8s.api.policy.v1.PodDisruptionBudgetSpecª".≤
object ©
R
minAvailableB
=#/definitions/io.k8s.apimachinery.pkg.util.intstr.IntOrString".
}
selectorq
@#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.LabelSelector".˙)
x-kubernetes-patch-strategy
replace

T
maxUnavailableB
=#/definitions/io.k8s.apimachinery.pkg.util.intstr.IntOrString".
÷
Sio.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceSubresources˛".≤
object Ï
s
scalej
e#/definitions/io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceSubresourceScale".
u
statusk
f#/definitions/io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceSubresourceStatus".
®
Fio.k8s.kube-aggregator.pkg.apis.apiregistration.v1.APIServiceCondition›".ötypeöstatus≤
object ª
R
lastTransitionTime<
7#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.Time".

message".≤
string

reason".≤
string

status".≤
string

type".≤
string
â
io.k8s.api.batch.v1.CronJobÈ".≤
object Ç

kind".≤
string
N
metadataB
=#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta".
:
spec2
-#/definitions/io.k8s.api.batch.v1.CronJobSpec".
>
status4
/#/definitions/io.k8s.api.batch.v1.CronJobStatus".


apiVersion".≤
string˙R
x-kubernetes-group-version-kind/-- group: batch
  kind: CronJob
  version: v1

˛
+io.k8s.api.core.v1.ContainerStateTerminatedŒ".öexitCode≤
object ±
I
	startedAt<
7#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.Time".

containerID".≤
string
"
exitCodeint32".≤	
integer
J

finishedAt<
7#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.Time".

message".≤
string

reason".≤
string
 
signalint32".≤	
integer
ü
io.k8s.api.core.v1.PodStatus˛".≤
object Ï

hostIP".≤
string
I
	startTime<
7#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.Time".

podIP".≤
string
§

conditionsï".≤
array∫1
/
-#/definitions/io.k8s.api.core.v1.PodCondition˙'
x-kubernetes-patch-merge-keytype
˙'
x-kubernetes-patch-strategymerge

Y
containerStatusesD".≤
array∫4
2
0#/definitions/io.k8s.api.core.v1.ContainerStatus
b
ephemeralContainerStatusesD".≤
array∫4
2
0#/definitions/io.k8s.api.core.v1.ContainerStatus
]
initContainerStatusesD".≤
array∫4
2
0#/definitions/io.k8s.api.core.v1.ContainerStatus

message".≤
string
#
nominatedNodeName".≤
string

phase".≤
string
ó
podIPså".≤
array∫*
(
&#/definitions/io.k8s.api.core.v1.PodIP˙%
x-kubernetes-patch-merge-keyip
˙'
x-kubernetes-patch-strategymerge


qosClass".≤
string

reason".≤
string
Ö
\io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1beta1.CustomResourceDefinitionStatus§".≤
object í

acceptedNamesn
i#/definitions/io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1beta1.CustomResourceDefinitionNames".
›

conditionsŒ".≤
array∫q
o
m#/definitions/io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1beta1.CustomResourceDefinitionCondition˙ 
x-kubernetes-list-typemap
˙'
x-kubernetes-list-map-keys	- type

/
storedVersions".≤
array∫
≤
string
˝
3io.k8s.api.admissionregistration.v1.MutatingWebhook≈".önameöclientConfigösideEffectsöadmissionReviewVersions≤
object ı
(
timeoutSecondsint32".≤	
integer
8
admissionReviewVersions".≤
array∫
≤
string

failurePolicy".≤
string
W
objectSelectorE
@#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.LabelSelector".
a
rulesX".≤
array∫H
F
D#/definitions/io.k8s.api.admissionregistration.v1.RuleWithOperations
$
reinvocationPolicy".≤
string

sideEffects".≤
string
Z
clientConfigJ
E#/definitions/io.k8s.api.admissionregistration.v1.WebhookClientConfig".

matchPolicy".≤
string

name".≤
string
Z
namespaceSelectorE
@#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.LabelSelector".
è
 io.k8s.api.apps.v1.DaemonSetSpecÍ".öselectorötemplate≤
object ¬
)
minReadySecondsint32".≤	
integer
.
revisionHistoryLimitint32".≤	
integer
Q
selectorE
@#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.LabelSelector".
A
template5
0#/definitions/io.k8s.api.core.v1.PodTemplateSpec".
O
updateStrategy=
8#/definitions/io.k8s.api.apps.v1.DaemonSetUpdateStrategy".
~
io.k8s.api.core.v1.VolumeDevice[".önameö
devicePath≤
object 6


devicePath".≤
string

name".≤
string
ã
*io.k8s.api.scheduling.v1.PriorityClassList‹".öitems≤
object ◊


apiVersion".≤
string
Q
itemsH".≤
array∫8
6
4#/definitions/io.k8s.api.scheduling.v1.PriorityClass

kind".≤
string
L
metadata@
;#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta".˙h
x-kubernetes-group-version-kindEC- version: v1
  group: scheduling.k8s.io
  kind: PriorityClassList

ã
*io.k8s.api.storage.v1.VolumeAttachmentList‹".öitems≤
object ◊


apiVersion".≤
string
Q
itemsH".≤
array∫8
6
4#/definitions/io.k8s.api.storage.v1.VolumeAttachment

kind".≤
string
L
metadata@
;#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta".˙h
x-kubernetes-group-version-kindEC- group: storage.k8s.io
  kind: VolumeAttachmentList
  version: v1

„
Vio.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1beta1.CustomResourceDefinitionà".öspec≤
object ı
K
metadata?
=#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta
u
specm
h#/definitions/io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1beta1.CustomResourceDefinitionSpec".
y
statuso
j#/definitions/io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1beta1.CustomResourceDefinitionStatus".


apiVersion".≤
string

kind".≤
string˙w
x-kubernetes-group-version-kindTR- kind: CustomResourceDefinition
  version: v1beta1
  group: apiextensions.k8s.io

‹
-io.k8s.api.authentication.v1beta1.TokenReview™".öspec≤
object £


apiVersion".≤
string

kind".≤
string
K
metadata?
=#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta
L
specD
?#/definitions/io.k8s.api.authentication.v1beta1.TokenReviewSpec".
P
statusF
A#/definitions/io.k8s.api.authentication.v1beta1.TokenReviewStatus".˙k
x-kubernetes-group-version-kindHF- group: authentication.k8s.io
  kind: TokenReview
  version: v1beta1

ã
+io.k8s.api.autoscaling.v2beta1.MetricStatus€".ötype≤
object ¬
R
externalF
A#/definitions/io.k8s.api.autoscaling.v2beta1.ExternalMetricStatus".
N
objectD
?#/definitions/io.k8s.api.autoscaling.v2beta1.ObjectMetricStatus".
J
podsB
=#/definitions/io.k8s.api.autoscaling.v2beta1.PodsMetricStatus".
R
resourceF
A#/definitions/io.k8s.api.autoscaling.v2beta1.ResourceMetricStatus".

type".≤
string
d
containerResourceO
J#/definitions/io.k8s.api.autoscaling.v2beta1.ContainerResourceMetricStatus".
±
%io.k8s.api.core.v1.ComponentConditioná".ötypeöstatus≤
object f

message".≤
string

status".≤
string

type".≤
string

error".≤
string
∑
(io.k8s.api.core.v1.ProjectedVolumeSourceä".≤
object y
%
defaultModeint32".≤	
integer
P
sourcesE".≤
array∫5
3
1#/definitions/io.k8s.api.core.v1.VolumeProjection
∫
*io.k8s.api.discovery.v1beta1.EndpointHintsã".≤
object z
x
forZonesl".≤
array∫6
4
2#/definitions/io.k8s.api.discovery.v1beta1.ForZone˙#
x-kubernetes-list-type	atomic

ª
3io.k8s.api.flowcontrol.v1beta1.QueuingConfigurationÉ".≤
object r
"
handSizeint32".≤	
integer
*
queueLengthLimitint32".≤	
integer
 
queuesint32".≤	
integer
ˇ
&io.k8s.api.storage.v1.StorageClassList‘".öitems≤
object ”

kind".≤
string
L
metadata@
;#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta".


apiVersion".≤
string
M
itemsD".≤
array∫4
2
0#/definitions/io.k8s.api.storage.v1.StorageClass˙d
x-kubernetes-group-version-kindA?- group: storage.k8s.io
  kind: StorageClassList
  version: v1

ß
<io.k8s.api.autoscaling.v2beta1.ContainerResourceMetricSourceÊ".önameö	container≤
object ¡

	container".≤
string

name".≤
string
2
targetAverageUtilizationint32".≤	
integer
V
targetAverageValue@
;#/definitions/io.k8s.apimachinery.pkg.api.resource.Quantity".
¥
:io.k8s.api.autoscaling.v2beta1.HorizontalPodAutoscalerListı".öitems≤
object Á


apiVersion".≤
string
a
itemsX".≤
array∫H
F
D#/definitions/io.k8s.api.autoscaling.v2beta1.HorizontalPodAutoscaler

kind".≤
string
L
metadata@
;#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta".˙q
x-kubernetes-group-version-kindNL- group: autoscaling
  kind: HorizontalPodAutoscalerList
  version: v2beta1

«
(io.k8s.api.batch.v1beta1.JobTemplateSpecö".≤
object à
N
metadataB
=#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta".
6
spec.
)#/definitions/io.k8s.api.batch.v1.JobSpec".
C
io.k8s.api.core.v1.PodIP'".≤
object 

ip".≤
string
“
)io.k8s.api.flowcontrol.v1beta1.FlowSchema§".≤
object û


apiVersion".≤
string

kind".≤
string
N
metadataB
=#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta".
H
spec@
;#/definitions/io.k8s.api.flowcontrol.v1beta1.FlowSchemaSpec".
L
statusB
=#/definitions/io.k8s.api.flowcontrol.v1beta1.FlowSchemaStatus".˙q
x-kubernetes-group-version-kindNL- version: v1beta1
  group: flowcontrol.apiserver.k8s.io
  kind: FlowSchema

I
Bio.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1beta1.JSON".
´
1io.k8s.api.authentication.v1.BoundObjectReferencev".≤
object e


apiVersion".≤
string

kind".≤
string

name".≤
string

uid".≤
string
¯
4io.k8s.api.authorization.v1beta1.SubjectAccessReviewø".öspec≤
object ±


apiVersion".≤
string

kind".≤
string
K
metadata?
=#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta
S
specK
F#/definitions/io.k8s.api.authorization.v1beta1.SubjectAccessReviewSpec".
W
statusM
H#/definitions/io.k8s.api.authorization.v1beta1.SubjectAccessReviewStatus".˙r
x-kubernetes-group-version-kindOM- version: v1beta1
  group: authorization.k8s.io
  kind: SubjectAccessReview

Ê
 io.k8s.api.apps.v1.DaemonSetList¡".öitems≤
object Õ


apiVersion".≤
string
G
items>".≤
array∫.
,
*#/definitions/io.k8s.api.apps.v1.DaemonSet

kind".≤
string
L
metadata@
;#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta".˙W
x-kubernetes-group-version-kind42- group: apps
  kind: DaemonSetList
  version: v1

ì
9io.k8s.api.flowcontrol.v1beta1.PriorityLevelConfiguration’".≤
object æ


apiVersion".≤
string

kind".≤
string
N
metadataB
=#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta".
X
specP
K#/definitions/io.k8s.api.flowcontrol.v1beta1.PriorityLevelConfigurationSpec".
\
statusR
M#/definitions/io.k8s.api.flowcontrol.v1beta1.PriorityLevelConfigurationStatus".˙Å
x-kubernetes-group-version-kind^\- group: flowcontrol.apiserver.k8s.io
  kind: PriorityLevelConfiguration
  version: v1beta1

‰
=io.k8s.api.networking.v1beta1.IngressClassParametersReference¢".ökindöname≤
object Ç

	namespace".≤
string

scope".≤
string

apiGroup".≤
string

kind".≤
string

name".≤
string
Ã
5io.k8s.api.policy.v1beta1.RuntimeClassStrategyOptionsí".öallowedRuntimeClassNames≤
object f
9
allowedRuntimeClassNames".≤
array∫
≤
string
)
defaultRuntimeClassName".≤
string
œ
Qio.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceDefinition˘".öspec≤
object Î

kind".≤
string
K
metadata?
=#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta
p
spech
c#/definitions/io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceDefinitionSpec".
t
statusj
e#/definitions/io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceDefinitionStatus".


apiVersion".≤
string˙r
x-kubernetes-group-version-kindOM- group: apiextensions.k8s.io
  kind: CustomResourceDefinition
  version: v1

?
-io.k8s.apimachinery.pkg.apis.meta.v1.FieldsV1".≤
object
ã
1io.k8s.api.authentication.v1beta1.TokenReviewSpecV".≤
object E
*
	audiences".≤
array∫
≤
string

token".≤
string
ı
6io.k8s.api.autoscaling.v2beta2.HorizontalPodAutoscaler∫".≤
object ∏


apiVersion".≤
string

kind".≤
string
N
metadataB
=#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta".
U
specM
H#/definitions/io.k8s.api.autoscaling.v2beta2.HorizontalPodAutoscalerSpec".
Y
statusO
J#/definitions/io.k8s.api.autoscaling.v2beta2.HorizontalPodAutoscalerStatus".˙m
x-kubernetes-group-version-kindJH- group: autoscaling
  kind: HorizontalPodAutoscaler
  version: v2beta2

‘
(io.k8s.api.core.v1.ResourceFieldSelectorß".öresource≤
object ä

containerName".≤
string
K
divisor@
;#/definitions/io.k8s.apimachinery.pkg.api.resource.Quantity".

resource".≤
string
¯
'io.k8s.api.core.v1.ResourceRequirementsÃ".≤
object ∫
Z
limitsP".™?
=
;#/definitions/io.k8s.apimachinery.pkg.api.resource.Quantity≤
object
\
requestsP".™?
=
;#/definitions/io.k8s.apimachinery.pkg.api.resource.Quantity≤
object
ó
3io.k8s.api.core.v1.TopologySelectorLabelRequirement`".ökeyövalues≤
object @

key".≤
string
'
values".≤
array∫
≤
string
©
2io.k8s.api.extensions.v1beta1.HTTPIngressRuleValues".öpaths≤
object Z
X
pathsO".≤
array∫?
=
;#/definitions/io.k8s.api.extensions.v1beta1.HTTPIngressPath
§
 io.k8s.api.networking.v1.Ingressˇ".≤
object å


apiVersion".≤
string

kind".≤
string
N
metadataB
=#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta".
?
spec7
2#/definitions/io.k8s.api.networking.v1.IngressSpec".
C
status9
4#/definitions/io.k8s.api.networking.v1.IngressStatus".˙^
x-kubernetes-group-version-kind;9- group: networking.k8s.io
  kind: Ingress
  version: v1

à
&io.k8s.api.apps.v1.ReplicaSetCondition›".ötypeöstatus≤
object ª
R
lastTransitionTime<
7#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.Time".

message".≤
string

reason".≤
string

status".≤
string

type".≤
string
˜
(io.k8s.api.authorization.v1.ResourceRule ".överbs≤
object ∞
.
resourceNames".≤
array∫
≤
string
*
	resources".≤
array∫
≤
string
&
verbs".≤
array∫
≤
string
*
	apiGroups".≤
array∫
≤
string
Ñ
8io.k8s.api.authorization.v1beta1.SelfSubjectAccessReview«".öspec≤
object µ


apiVersion".≤
string

kind".≤
string
K
metadata?
=#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta
W
specO
J#/definitions/io.k8s.api.authorization.v1beta1.SelfSubjectAccessReviewSpec".
W
statusM
H#/definitions/io.k8s.api.authorization.v1beta1.SubjectAccessReviewStatus".˙v
x-kubernetes-group-version-kindSQ- group: authorization.k8s.io
  kind: SelfSubjectAccessReview
  version: v1beta1

´
:io.k8s.api.autoscaling.v2beta2.CrossVersionObjectReferencem".ökindöname≤
object N

kind".≤
string

name".≤
string


apiVersion".≤
string
≈
0io.k8s.api.core.v1.GCEPersistentDiskVolumeSourceê".öpdName≤
object v

pdName".≤
string

readOnly".≤	
boolean

fsType".≤
string
#
	partitionint32".≤	
integer
„
io.k8s.api.core.v1.PodDNSConfigø".≤
object ≠
,
nameservers".≤
array∫
≤
string
R
optionsG".≤
array∫7
5
3#/definitions/io.k8s.api.core.v1.PodDNSConfigOption
)
searches".≤
array∫
≤
string
µ
0io.k8s.api.core.v1.ScaleIOPersistentVolumeSourceÄ".ögatewayösystemö	secretRef≤
object œ

storagePool".≤
string


volumeName".≤
string
"
protectionDomain".≤
string

readOnly".≤	
boolean


sslEnabled".≤	
boolean

storageMode".≤
string

system".≤
string

fsType".≤
string

gateway".≤
string
B
	secretRef5
0#/definitions/io.k8s.api.core.v1.SecretReference".
õ
,io.k8s.api.core.v1.TypedLocalObjectReferencek".ökindöname≤
object L

apiGroup".≤
string

kind".≤
string

name".≤
string
œ
9io.k8s.api.admissionregistration.v1beta1.ServiceReferenceë".ö	namespaceöname≤
object m

name".≤
string

	namespace".≤
string

path".≤
string

portint32".≤	
integer
¢
%io.k8s.api.apps.v1.DeploymentStrategyy".≤
object h

type".≤
string
N
rollingUpdate=
8#/definitions/io.k8s.api.apps.v1.RollingUpdateDeployment".
<
*io.k8s.apimachinery.pkg.apis.meta.v1.Patch".≤
object
Å
io.k8s.api.core.v1.NodeStatusﬂ".≤
object Õ
M
imagesC".≤
array∫3
1
/#/definitions/io.k8s.api.core.v1.ContainerImage
@
nodeInfo4
/#/definitions/io.k8s.api.core.v1.NodeSystemInfo".
-
volumesInUse".≤
array∫
≤
string
•

conditionsñ".≤
array∫2
0
.#/definitions/io.k8s.api.core.v1.NodeCondition˙'
x-kubernetes-patch-merge-keytype
˙'
x-kubernetes-patch-strategymerge

L
daemonEndpoints9
4#/definitions/io.k8s.api.core.v1.NodeDaemonEndpoints".
\
capacityP".™?
=
;#/definitions/io.k8s.apimachinery.pkg.api.resource.Quantity≤
object
@
config6
1#/definitions/io.k8s.api.core.v1.NodeConfigStatus".

phase".≤
string
V
volumesAttachedC".≤
array∫3
1
/#/definitions/io.k8s.api.core.v1.AttachedVolume
¢
	addressesî".≤
array∫0
.
,#/definitions/io.k8s.api.core.v1.NodeAddress˙'
x-kubernetes-patch-strategymerge
˙'
x-kubernetes-patch-merge-keytype

_
allocatableP".™?
=
;#/definitions/io.k8s.apimachinery.pkg.api.resource.Quantity≤
object
•
"io.k8s.api.rbac.v1.AggregationRule".≤
object n
l
clusterRoleSelectorsT".≤
array∫D
B
@#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.LabelSelector
l
"io.k8s.api.core.v1.SecretReferenceF".≤
object 5

name".≤
string

	namespace".≤
string
È
Iio.k8s.api.admissionregistration.v1beta1.MutatingWebhookConfigurationListõ".öitems≤
object ˆ


apiVersion".≤
string
p
itemsg".≤
array∫W
U
S#/definitions/io.k8s.api.admissionregistration.v1beta1.MutatingWebhookConfiguration

kind".≤
string
L
metadata@
;#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta".˙á
x-kubernetes-group-version-kinddb- version: v1beta1
  group: admissionregistration.k8s.io
  kind: MutatingWebhookConfigurationList

ı
Cio.k8s.kube-aggregator.pkg.apis.apiregistration.v1.APIServiceStatus≠".≤
object õ
ò

conditionsâ".≤
array∫X
V
T#/definitions/io.k8s.kube-aggregator.pkg.apis.apiregistration.v1.APIServiceCondition˙'
x-kubernetes-list-map-keys	- type
˙ 
x-kubernetes-list-typemap
˙'
x-kubernetes-patch-merge-keytype
˙'
x-kubernetes-patch-strategymerge

ﬁ
%io.k8s.api.core.v1.PodSecurityContext¥".≤
object ¢
!
fsGroupint64".≤	
integer
%
fsGroupChangePolicy".≤
string
#
	runAsUserint64".≤	
integer
F
seLinuxOptions4
/#/definitions/io.k8s.api.core.v1.SELinuxOptions".
U
windowsOptionsC
>#/definitions/io.k8s.api.core.v1.WindowsSecurityContextOptions".
$

runAsGroupint64".≤	
integer

runAsNonRoot".≤	
boolean
F
seccompProfile4
/#/definitions/io.k8s.api.core.v1.SeccompProfile".
;
supplementalGroups%".≤
array∫
int64≤	
integer
F
sysctls;".≤
array∫+
)
'#/definitions/io.k8s.api.core.v1.Sysctl
ã
$io.k8s.api.core.v1.SecretKeySelectorc".ökey≤
object L

name".≤
string

optional".≤	
boolean

key".≤
string

(io.k8s.api.core.v1.SessionAffinityConfigS".≤
object B
@
clientIP4
/#/definitions/io.k8s.api.core.v1.ClientIPConfig".
_
)io.k8s.api.storage.v1.VolumeNodeResources2".≤
object !

countint32".≤	
integer
ª
3io.k8s.api.autoscaling.v2beta2.ResourceMetricSourceÉ".önameötarget≤
object b

name".≤
string
H
target>
9#/definitions/io.k8s.api.autoscaling.v2beta2.MetricTarget".
Ÿ
&io.k8s.api.batch.v1beta1.CronJobStatusÆ".≤
object ú
R
lastSuccessfulTime<
7#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.Time".
t
activej".≤
array∫4
2
0#/definitions/io.k8s.api.core.v1.ObjectReference˙#
x-kubernetes-list-type	atomic

P
lastScheduleTime<
7#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.Time".
ç
-io.k8s.api.core.v1.FlexPersistentVolumeSource€".ödriver≤
object ¿

driver".≤
string

fsType".≤
string
)
options".™
≤
string≤
object

readOnly".≤	
boolean
B
	secretRef5
0#/definitions/io.k8s.api.core.v1.SecretReference".
Ï
io.k8s.api.rbac.v1.RoleListÃ".öitems≤
object »
L
metadata@
;#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta".


apiVersion".≤
string
B
items9".≤
array∫)
'
%#/definitions/io.k8s.api.rbac.v1.Role

kind".≤
string˙g
x-kubernetes-group-version-kindDB- group: rbac.authorization.k8s.io
  kind: RoleList
  version: v1

´
:io.k8s.api.autoscaling.v2beta1.CrossVersionObjectReferencem".ökindöname≤
object N

name".≤
string


apiVersion".≤
string

kind".≤
string
Ø
io.k8s.api.core.v1.EndpointPortã".öport≤
object s

protocol".≤
string

appProtocol".≤
string

name".≤
string

portint32".≤	
integer
©
<io.k8s.api.autoscaling.v2beta1.HorizontalPodAutoscalerStatusË".öcurrentReplicasödesiredReplicasö
conditions≤
object •
o

conditionsa".≤
array∫Q
O
M#/definitions/io.k8s.api.autoscaling.v2beta1.HorizontalPodAutoscalerCondition
_
currentMetricsM".≤
array∫=
;
9#/definitions/io.k8s.api.autoscaling.v2beta1.MetricStatus
)
currentReplicasint32".≤	
integer
)
desiredReplicasint32".≤	
integer
M
lastScaleTime<
7#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.Time".
,
observedGenerationint64".≤	
integer
ñ
!io.k8s.api.core.v1.ContainerState".≤
object ﬁ
F
running;
6#/definitions/io.k8s.api.core.v1.ContainerStateRunning".
L

terminated>
9#/definitions/io.k8s.api.core.v1.ContainerStateTerminated".
F
waiting;
6#/definitions/io.k8s.api.core.v1.ContainerStateWaiting".
¥
"io.k8s.api.core.v1.ContainerStatusç".önameöreadyörestartCountöimageöimageID≤
object À

containerID".≤
string

image".≤
string
&
restartCountint32".≤	
integer

imageID".≤
string
A
	lastState4
/#/definitions/io.k8s.api.core.v1.ContainerState".

name".≤
string

ready".≤	
boolean

started".≤	
boolean
=
state4
/#/definitions/io.k8s.api.core.v1.ContainerState".
ﬂ
&io.k8s.api.core.v1.LoadBalancerIngress¥".≤
object ¢

hostname".≤
string

ip".≤
string
n
portse".≤
array∫/
-
+#/definitions/io.k8s.api.core.v1.PortStatus˙#
x-kubernetes-list-type	atomic

æ
*io.k8s.api.core.v1.PreferredSchedulingTermè".öweightö
preference≤
object h
D

preference6
1#/definitions/io.k8s.api.core.v1.NodeSelectorTerm".
 
weightint32".≤	
integer
d
.io.k8s.api.storage.v1beta1.VolumeNodeResources2".≤
object !

countint32".≤	
integer
‰
8io.k8s.api.admissionregistration.v1beta1.MutatingWebhookß".önameöclientConfig≤
object ˇ
8
admissionReviewVersions".≤
array∫
≤
string
_
clientConfigO
J#/definitions/io.k8s.api.admissionregistration.v1beta1.WebhookClientConfig".

name".≤
string
Z
namespaceSelectorE
@#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.LabelSelector".
W
objectSelectorE
@#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.LabelSelector".
$
reinvocationPolicy".≤
string
f
rules]".≤
array∫M
K
I#/definitions/io.k8s.api.admissionregistration.v1beta1.RuleWithOperations
(
timeoutSecondsint32".≤	
integer

failurePolicy".≤
string

matchPolicy".≤
string

sideEffects".≤
string
ı
6io.k8s.api.autoscaling.v2beta1.HorizontalPodAutoscaler∫".≤
object ∏
U
specM
H#/definitions/io.k8s.api.autoscaling.v2beta1.HorizontalPodAutoscalerSpec".
Y
statusO
J#/definitions/io.k8s.api.autoscaling.v2beta1.HorizontalPodAutoscalerStatus".


apiVersion".≤
string

kind".≤
string
N
metadataB
=#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta".˙m
x-kubernetes-group-version-kindJH- group: autoscaling
  kind: HorizontalPodAutoscaler
  version: v2beta1

÷
7io.k8s.apimachinery.pkg.apis.meta.v1.ManagedFieldsEntryö".≤
object à
L
fieldsV1@
;#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.FieldsV1".

manager".≤
string

	operation".≤
string
D
time<
7#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.Time".


apiVersion".≤
string


fieldsType".≤
string
Ì
/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMetaπ".≤
object ß

	namespace".≤
string

uid".≤
string
-
annotations".™
≤
string≤
object

clusterName".≤
string
Q
creationTimestamp<
7#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.Time".
U

finalizersG".≤
array∫
≤
string˙'
x-kubernetes-patch-strategymerge


generateName".≤
string
(
labels".™
≤
string≤
object

selfLink".≤
string
4
deletionGracePeriodSecondsint64".≤	
integer
Q
deletionTimestamp<
7#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.Time".
$

generationint64".≤	
integer
º
ownerReferences®".≤
array∫E
C
A#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.OwnerReference˙'
x-kubernetes-patch-strategymerge
˙&
x-kubernetes-patch-merge-keyuid

j
managedFieldsY".≤
array∫I
G
E#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.ManagedFieldsEntry

name".≤
string
!
resourceVersion".≤
string
À
#io.k8s.api.apps.v1.ReplicaSetStatus£".öreplicas≤
object Ü
"
replicasint32".≤	
integer
+
availableReplicasint32".≤	
integer
´

conditionsú".≤
array∫8
6
4#/definitions/io.k8s.api.apps.v1.ReplicaSetCondition˙'
x-kubernetes-patch-merge-keytype
˙'
x-kubernetes-patch-strategymerge

.
fullyLabeledReplicasint32".≤	
integer
,
observedGenerationint64".≤	
integer
'
readyReplicasint32".≤	
integer
˘
#io.k8s.api.core.v1.NodeSelectorTerm—".≤
object ø
`
matchExpressionsL".≤
array∫<
:
8#/definitions/io.k8s.api.core.v1.NodeSelectorRequirement
[
matchFieldsL".≤
array∫<
:
8#/definitions/io.k8s.api.core.v1.NodeSelectorRequirement
•
.io.k8s.api.rbac.v1beta1.ClusterRoleBindingListÚ".öitems≤
object €


apiVersion".≤
string
U
itemsL".≤
array∫<
:
8#/definitions/io.k8s.api.rbac.v1beta1.ClusterRoleBinding

kind".≤
string
L
metadata@
;#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta".˙z
x-kubernetes-group-version-kindWU- group: rbac.authorization.k8s.io
  kind: ClusterRoleBindingList
  version: v1beta1

ˆ
Wio.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceDefinitionStatusö".≤
object à
ÿ

conditions…".≤
array∫l
j
h#/definitions/io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceDefinitionCondition˙'
x-kubernetes-list-map-keys	- type
˙ 
x-kubernetes-list-typemap

/
storedVersions".≤
array∫
≤
string
z
acceptedNamesi
d#/definitions/io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceDefinitionNames".
⁄
Dio.k8s.api.admissionregistration.v1.MutatingWebhookConfigurationListë".öitems≤
object Ò


apiVersion".≤
string
k
itemsb".≤
array∫R
P
N#/definitions/io.k8s.api.admissionregistration.v1.MutatingWebhookConfiguration

kind".≤
string
L
metadata@
;#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta".˙Ç
x-kubernetes-group-version-kind_]- group: admissionregistration.k8s.io
  kind: MutatingWebhookConfigurationList
  version: v1

®
!io.k8s.api.apps.v1.ReplicaSetSpecÇ".öselector≤
object Â
)
minReadySecondsint32".≤	
integer
"
replicasint32".≤	
integer
Q
selectorE
@#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.LabelSelector".
A
template5
0#/definitions/io.k8s.api.core.v1.PodTemplateSpec".
è
%io.k8s.api.core.v1.LoadBalancerStatusf".≤
object U
S
ingressH".≤
array∫8
6
4#/definitions/io.k8s.api.core.v1.LoadBalancerIngress
Ç
,io.k8s.api.extensions.v1beta1.IngressBackend—".≤
object ø
K
resource?
:#/definitions/io.k8s.api.core.v1.TypedLocalObjectReference".

serviceName".≤
string
Q
servicePortB
=#/definitions/io.k8s.apimachinery.pkg.util.intstr.IntOrString".
º
io.k8s.api.rbac.v1.ClusterRoleô".≤
object ö
H
aggregationRule5
0#/definitions/io.k8s.api.rbac.v1.AggregationRule".


apiVersion".≤
string

kind".≤
string
N
metadataB
=#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta".
H
rules?".≤
array∫/
-
+#/definitions/io.k8s.api.rbac.v1.PolicyRule˙j
x-kubernetes-group-version-kindGE- group: rbac.authorization.k8s.io
  kind: ClusterRole
  version: v1

‘
io.k8s.api.core.v1.PodTemplate±".≤
object …

kind".≤
string
N
metadataB
=#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta".
A
template5
0#/definitions/io.k8s.api.core.v1.PodTemplateSpec".


apiVersion".≤
string˙S
x-kubernetes-group-version-kind0.- group: ""
  kind: PodTemplate
  version: v1

∑
;io.k8s.api.policy.v1beta1.SupplementalGroupsStrategyOptionsx".≤
object g
M
rangesC".≤
array∫3
1
/#/definitions/io.k8s.api.policy.v1beta1.IDRange

rule".≤
string
¬
+io.k8s.api.scheduling.v1beta1.PriorityClassí".övalue≤
object å
 
globalDefault".≤	
boolean

kind".≤
string
N
metadataB
=#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta".
"
preemptionPolicy".≤
string

valueint32".≤	
integer


apiVersion".≤
string

description".≤
string˙i
x-kubernetes-group-version-kindFD- group: scheduling.k8s.io
  kind: PriorityClass
  version: v1beta1

ö
/io.k8s.api.scheduling.v1beta1.PriorityClassListÊ".öitems≤
object ‹


apiVersion".≤
string
V
itemsM".≤
array∫=
;
9#/definitions/io.k8s.api.scheduling.v1beta1.PriorityClass

kind".≤
string
L
metadata@
;#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta".˙m
x-kubernetes-group-version-kindJH- group: scheduling.k8s.io
  kind: PriorityClassList
  version: v1beta1

[
Tio.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1beta1.JSONSchemaPropsOrArray".
¶
!io.k8s.api.apps.v1.DeploymentSpecÄ".öselectorötemplate≤
object ÿ
)
minReadySecondsint32".≤	
integer

paused".≤	
boolean
1
progressDeadlineSecondsint32".≤	
integer
"
replicasint32".≤	
integer
.
revisionHistoryLimitint32".≤	
integer
Q
selectorE
@#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.LabelSelector".
s
strategyg
3#/definitions/io.k8s.api.apps.v1.DeploymentStrategy".˙,
x-kubernetes-patch-strategyretainKeys

A
template5
0#/definitions/io.k8s.api.core.v1.PodTemplateSpec".
•
io.k8s.api.core.v1.NodeSelectorÅ".önodeSelectorTerms≤
object \
Z
nodeSelectorTermsE".≤
array∫5
3
1#/definitions/io.k8s.api.core.v1.NodeSelectorTerm
ë
4io.k8s.api.flowcontrol.v1beta1.ServiceAccountSubjectY".ö	namespaceöname≤
object 5

name".≤
string

	namespace".≤
string
©
2io.k8s.api.networking.v1beta1.HTTPIngressRuleValues".öpaths≤
object Z
X
pathsO".≤
array∫?
=
;#/definitions/io.k8s.api.networking.v1beta1.HTTPIngressPath
µ
\io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1beta1.CustomResourceColumnDefinition‘".önameötypeöJSONPath≤
object ©

JSONPath".≤
string

description".≤
string

format".≤
string

name".≤
string
"
priorityint32".≤	
integer

type".≤
string
ë
io.k8s.api.apps.v1.ReplicaSetÔ".≤
object Ü
<
spec4
/#/definitions/io.k8s.api.apps.v1.ReplicaSetSpec".
@
status6
1#/definitions/io.k8s.api.apps.v1.ReplicaSetStatus".


apiVersion".≤
string

kind".≤
string
N
metadataB
=#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta".˙T
x-kubernetes-group-version-kind1/- group: apps
  kind: ReplicaSet
  version: v1

Á
io.k8s.api.events.v1.EventListƒ".öitems≤
object À


apiVersion".≤
string
E
items<".≤
array∫,
*
(#/definitions/io.k8s.api.events.v1.Event

kind".≤
string
L
metadata@
;#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta".˙\
x-kubernetes-group-version-kind97- group: events.k8s.io
  kind: EventList
  version: v1

—
 io.k8s.api.batch.v1.JobCondition¨".ötypeöstatus≤
object ä

type".≤
string
M
lastProbeTime<
7#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.Time".
R
lastTransitionTime<
7#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.Time".

message".≤
string

reason".≤
string

status".≤
string
S
io.k8s.api.discovery.v1.ForZone0".öname≤
object 

name".≤
string
ë
*io.k8s.api.networking.v1.NetworkPolicySpec‚".öpodSelector≤
object ¬
\
egressR".≤
array∫B
@
>#/definitions/io.k8s.api.networking.v1.NetworkPolicyEgressRule
^
ingressS".≤
array∫C
A
?#/definitions/io.k8s.api.networking.v1.NetworkPolicyIngressRule
T
podSelectorE
@#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.LabelSelector".
,
policyTypes".≤
array∫
≤
string
ì
Zio.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1beta1.CustomResourceDefinitionSpec¥".ögroupönamesöscope≤
object ä
(
preserveUnknownFields".≤	
boolean

scope".≤
string
{
subresourcesk
f#/definitions/io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1beta1.CustomResourceSubresources".
w

conversioni
d#/definitions/io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1beta1.CustomResourceConversion".

group".≤
string
w
namesn
i#/definitions/io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1beta1.CustomResourceDefinitionNames".
ã
versions".≤
array∫o
m
k#/definitions/io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1beta1.CustomResourceDefinitionVersion
ö
additionalPrinterColumns~".≤
array∫n
l
j#/definitions/io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1beta1.CustomResourceColumnDefinition
w

validationi
d#/definitions/io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1beta1.CustomResourceValidation".

version".≤
string
•
5io.k8s.api.autoscaling.v1.HorizontalPodAutoscalerListÎ".öitems≤
object ‚


apiVersion".≤
string
\
itemsS".≤
array∫C
A
?#/definitions/io.k8s.api.autoscaling.v1.HorizontalPodAutoscaler

kind".≤
string
L
metadata@
;#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta".˙l
x-kubernetes-group-version-kindIG- group: autoscaling
  kind: HorizontalPodAutoscalerList
  version: v1

Ì
<io.k8s.api.autoscaling.v2beta2.ContainerResourceMetricSource¨".önameötargetö	container≤
object 

	container".≤
string

name".≤
string
H
target>
9#/definitions/io.k8s.api.autoscaling.v2beta2.MetricTarget".
Ö
9io.k8s.api.certificates.v1beta1.CertificateSigningRequest«".≤
object ª


apiVersion".≤
string

kind".≤
string
K
metadata?
=#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta
X
specP
K#/definitions/io.k8s.api.certificates.v1beta1.CertificateSigningRequestSpec".
\
statusR
M#/definitions/io.k8s.api.certificates.v1beta1.CertificateSigningRequestStatus".˙w
x-kubernetes-group-version-kindTR- group: certificates.k8s.io
  kind: CertificateSigningRequest
  version: v1beta1

”
io.k8s.api.core.v1.Binding¥".ötarget≤
object «


apiVersion".≤
string

kind".≤
string
N
metadataB
=#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta".
?
target5
0#/definitions/io.k8s.api.core.v1.ObjectReference".˙O
x-kubernetes-group-version-kind,*- group: ""
  kind: Binding
  version: v1

•
'io.k8s.api.core.v1.EmptyDirVolumeSourcez".≤
object i

medium".≤
string
M
	sizeLimit@
;#/definitions/io.k8s.apimachinery.pkg.api.resource.Quantity".
Á
0io.k8s.api.core.v1.PersistentVolumeClaimTemplate≤".öspec≤
object ô
N
metadataB
=#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta".
G
spec?
:#/definitions/io.k8s.api.core.v1.PersistentVolumeClaimSpec".
≠
0io.k8s.api.core.v1.ServiceAccountTokenProjectiony".öpath≤
object a

audience".≤
string
+
expirationSecondsint64".≤	
integer

path".≤
string
˚
3io.k8s.api.autoscaling.v2beta2.ExternalMetricStatus√".ömetricöcurrent≤
object û
N
currentC
>#/definitions/io.k8s.api.autoscaling.v2beta2.MetricValueStatus".
L
metricB
=#/definitions/io.k8s.api.autoscaling.v2beta2.MetricIdentifier".

/io.k8s.api.autoscaling.v2beta2.PodsMetricSourceº".ömetricötarget≤
object ò
L
metricB
=#/definitions/io.k8s.api.autoscaling.v2beta2.MetricIdentifier".
H
target>
9#/definitions/io.k8s.api.autoscaling.v2beta2.MetricTarget".
∂
io.k8s.api.core.v1.Volumeò".öname≤
object ˇ
D
quobyte9
4#/definitions/io.k8s.api.core.v1.QuobyteVolumeSource".
H
	azureFile;
6#/definitions/io.k8s.api.core.v1.AzureFileVolumeSource".
B
cinder8
3#/definitions/io.k8s.api.core.v1.CinderVolumeSource".
H
	configMap;
6#/definitions/io.k8s.api.core.v1.ConfigMapVolumeSource".
<
nfs5
0#/definitions/io.k8s.api.core.v1.NFSVolumeSource".
^
photonPersistentDiskF
A#/definitions/io.k8s.api.core.v1.PhotonPersistentDiskVolumeSource".
H
	ephemeral;
6#/definitions/io.k8s.api.core.v1.EphemeralVolumeSource".
H
	glusterfs;
6#/definitions/io.k8s.api.core.v1.GlusterfsVolumeSource".
<
rbd5
0#/definitions/io.k8s.api.core.v1.RBDVolumeSource".
H
	azureDisk;
6#/definitions/io.k8s.api.core.v1.AzureDiskVolumeSource".
L
downwardAPI=
8#/definitions/io.k8s.api.core.v1.DownwardAPIVolumeSource".
D
gitRepo9
4#/definitions/io.k8s.api.core.v1.GitRepoVolumeSource".
D
scaleIO9
4#/definitions/io.k8s.api.core.v1.ScaleIOVolumeSource".
F
hostPath:
5#/definitions/io.k8s.api.core.v1.HostPathVolumeSource".

name".≤
string
`
persistentVolumeClaimG
B#/definitions/io.k8s.api.core.v1.PersistentVolumeClaimVolumeSource".
X
gcePersistentDiskC
>#/definitions/io.k8s.api.core.v1.GCEPersistentDiskVolumeSource".
@
iscsi7
2#/definitions/io.k8s.api.core.v1.ISCSIVolumeSource".
B
secret8
3#/definitions/io.k8s.api.core.v1.SecretVolumeSource".
D

flexVolume6
1#/definitions/io.k8s.api.core.v1.FlexVolumeSource".
^
awsElasticBlockStoreF
A#/definitions/io.k8s.api.core.v1.AWSElasticBlockStoreVolumeSource".
<
csi5
0#/definitions/io.k8s.api.core.v1.CSIVolumeSource".
H
	projected;
6#/definitions/io.k8s.api.core.v1.ProjectedVolumeSource".
U
vsphereVolumeD
?#/definitions/io.k8s.api.core.v1.VsphereVirtualDiskVolumeSource".
H
	storageos;
6#/definitions/io.k8s.api.core.v1.StorageOSVolumeSource".
B
cephfs8
3#/definitions/io.k8s.api.core.v1.CephFSVolumeSource".
F
emptyDir:
5#/definitions/io.k8s.api.core.v1.EmptyDirVolumeSource".
:
fc4
/#/definitions/io.k8s.api.core.v1.FCVolumeSource".
D
flocker9
4#/definitions/io.k8s.api.core.v1.FlockerVolumeSource".
L
portworxVolume:
5#/definitions/io.k8s.api.core.v1.PortworxVolumeSource".
÷
"io.k8s.api.apps.v1.DaemonSetStatusØ".öcurrentNumberScheduledönumberMisscheduledödesiredNumberScheduledönumberReady≤
object »
%
numberReadyint32".≤	
integer
+
numberUnavailableint32".≤	
integer
™

conditionsõ".≤
array∫7
5
3#/definitions/io.k8s.api.apps.v1.DaemonSetCondition˙'
x-kubernetes-patch-merge-keytype
˙'
x-kubernetes-patch-strategymerge

0
currentNumberScheduledint32".≤	
integer
)
numberAvailableint32".≤	
integer
,
numberMisscheduledint32".≤	
integer
(
collisionCountint32".≤	
integer
0
desiredNumberScheduledint32".≤	
integer
,
observedGenerationint64".≤	
integer
0
updatedNumberScheduledint32".≤	
integer
\
#io.k8s.api.autoscaling.v1.ScaleSpec5".≤
object $
"
replicasint32".≤	
integer
Ω
(io.k8s.api.policy.v1.PodDisruptionBudgetê".≤
object ú
N
metadataB
=#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta".
G
spec?
:#/definitions/io.k8s.api.policy.v1.PodDisruptionBudgetSpec".
K
statusA
<#/definitions/io.k8s.api.policy.v1.PodDisruptionBudgetStatus".


apiVersion".≤
string

kind".≤
string˙_
x-kubernetes-group-version-kind<:- kind: PodDisruptionBudget
  version: v1
  group: policy

Á
*io.k8s.api.apps.v1.RollingUpdateDeployment∏".≤
object ¶
N
maxSurgeB
=#/definitions/io.k8s.apimachinery.pkg.util.intstr.IntOrString".
T
maxUnavailableB
=#/definitions/io.k8s.apimachinery.pkg.util.intstr.IntOrString".
ı
3io.k8s.api.autoscaling.v2beta1.ResourceMetricSourceΩ".öname≤
object §

name".≤
string
2
targetAverageUtilizationint32".≤	
integer
V
targetAverageValue@
;#/definitions/io.k8s.apimachinery.pkg.api.resource.Quantity".
∂
io.k8s.api.rbac.v1.RoleBindingì".öroleRef≤
object ä
8
roleRef-
(#/definitions/io.k8s.api.rbac.v1.RoleRef".
H
subjects<".≤
array∫,
*
(#/definitions/io.k8s.api.rbac.v1.Subject


apiVersion".≤
string

kind".≤
string
N
metadataB
=#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta".˙j
x-kubernetes-group-version-kindGE- group: rbac.authorization.k8s.io
  kind: RoleBinding
  version: v1

Ô
Kio.k8s.api.admissionregistration.v1beta1.ValidatingWebhookConfigurationListü".öitems≤
object ¯


apiVersion".≤
string
r
itemsi".≤
array∫Y
W
U#/definitions/io.k8s.api.admissionregistration.v1beta1.ValidatingWebhookConfiguration

kind".≤
string
L
metadata@
;#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta".˙â
x-kubernetes-group-version-kindfd- group: admissionregistration.k8s.io
  kind: ValidatingWebhookConfigurationList
  version: v1beta1

⁄
:io.k8s.api.certificates.v1.CertificateSigningRequestStatusõ".≤
object â
I
certificate:byte".≤
string˙#
x-kubernetes-list-type	atomic

ª

conditions¨".≤
array∫O
M
K#/definitions/io.k8s.api.certificates.v1.CertificateSigningRequestCondition˙'
x-kubernetes-list-map-keys	- type
˙ 
x-kubernetes-list-typemap

ä
+io.k8s.api.networking.v1beta1.IngressStatus[".≤
object J
H
loadBalancer8
3#/definitions/io.k8s.api.core.v1.LoadBalancerStatus".
Ö
(io.k8s.api.storage.v1beta1.CSIDriverListÿ".öitems≤
object ’


apiVersion".≤
string
O
itemsF".≤
array∫6
4
2#/definitions/io.k8s.api.storage.v1beta1.CSIDriver

kind".≤
string
L
metadata@
;#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta".˙f
x-kubernetes-group-version-kindCA- version: v1beta1
  group: storage.k8s.io
  kind: CSIDriverList

¡
Vio.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceDefinitionNamesÊ".öpluralökind≤
object ƒ

listKind".≤
string

plural".≤
string
+

shortNames".≤
array∫
≤
string

singular".≤
string
+

categories".≤
array∫
≤
string

kind".≤
string
Ê
.io.k8s.apimachinery.pkg.apis.meta.v1.Condition≥".ötypeöstatusölastTransitionTimeöreasonömessage≤
object È

status".≤
string

type".≤
string
R
lastTransitionTime<
7#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.Time".

message".≤
string
,
observedGenerationint64".≤	
integer

reason".≤
string
P
/io.k8s.apimachinery.pkg.util.intstr.IntOrStringint-or-string".≤
string
í
io.k8s.api.apps.v1.StatefulSetÔ".≤
object Ö
K
metadata?
=#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta
=
spec5
0#/definitions/io.k8s.api.apps.v1.StatefulSetSpec".
A
status7
2#/definitions/io.k8s.api.apps.v1.StatefulSetStatus".


apiVersion".≤
string

kind".≤
string˙U
x-kubernetes-group-version-kind20- group: apps
  kind: StatefulSet
  version: v1

l
"io.k8s.api.core.v1.SecretEnvSourceF".≤
object 5

name".≤
string

optional".≤	
boolean
h
io.k8s.api.core.v1.EventSourceF".≤
object 5

	component".≤
string

host".≤
string
–
&io.k8s.api.flowcontrol.v1beta1.Subject•".ökind≤
object ˙
D
group;
9#/definitions/io.k8s.api.flowcontrol.v1beta1.GroupSubject

kind".≤
string
V
serviceAccountD
B#/definitions/io.k8s.api.flowcontrol.v1beta1.ServiceAccountSubject
B
user:
8#/definitions/io.k8s.api.flowcontrol.v1beta1.UserSubject˙é
x-kubernetes-unionswu- fields-to-discriminateBy:
    group: Group
    serviceAccount: ServiceAccount
    user: User
  discriminator: kind

é
io.k8s.api.core.v1.NodeSpecÓ".≤
object ‹
 
unschedulable".≤	
boolean
F
configSource6
1#/definitions/io.k8s.api.core.v1.NodeConfigSource".


externalID".≤
string

podCIDR".≤
string
S
podCIDRsG".≤
array∫
≤
string˙'
x-kubernetes-patch-strategymerge



providerID".≤
string
D
taints:".≤
array∫*
(
&#/definitions/io.k8s.api.core.v1.Taint
≠
'io.k8s.api.core.v1.TopologySelectorTermÅ".≤
object p
n
matchLabelExpressionsU".≤
array∫E
C
A#/definitions/io.k8s.api.core.v1.TopologySelectorLabelRequirement
Ù
6io.k8s.api.flowcontrol.v1beta1.PolicyRulesWithSubjectsπ".ösubjects≤
object ú
ä
resourceRulesy".≤
array∫C
A
?#/definitions/io.k8s.api.flowcontrol.v1beta1.ResourcePolicyRule˙#
x-kubernetes-list-type	atomic

z
subjectsn".≤
array∫8
6
4#/definitions/io.k8s.api.flowcontrol.v1beta1.Subject˙#
x-kubernetes-list-type	atomic

ê
nonResourceRules|".≤
array∫F
D
B#/definitions/io.k8s.api.flowcontrol.v1beta1.NonResourcePolicyRule˙#
x-kubernetes-list-type	atomic

ì
/io.k8s.api.policy.v1beta1.PodSecurityPolicyListﬂ".öitems≤
object ‹


apiVersion".≤
string
V
itemsM".≤
array∫=
;
9#/definitions/io.k8s.api.policy.v1beta1.PodSecurityPolicy

kind".≤
string
L
metadata@
;#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta".˙f
x-kubernetes-group-version-kindCA- version: v1beta1
  group: policy
  kind: PodSecurityPolicyList

ˇ
/io.k8s.api.policy.v1beta1.PodSecurityPolicySpecÀ".öseLinuxö	runAsUserösupplementalGroupsöfsGroup≤
object Ñ
+
allowPrivilegeEscalation".≤	
boolean
c
allowedFlexVolumesM".≤
array∫=
;
9#/definitions/io.k8s.api.policy.v1beta1.AllowedFlexVolume
_
allowedHostPathsK".≤
array∫;
9
7#/definitions/io.k8s.api.policy.v1beta1.AllowedHostPath
7
defaultAddCapabilities".≤
array∫
≤
string
2
defaultAllowPrivilegeEscalation".≤	
boolean
1
forbiddenSysctls".≤
array∫
≤
string

hostNetwork".≤	
boolean


privileged".≤	
boolean
)
readOnlyRootFilesystem".≤	
boolean
X
runtimeClassH
C#/definitions/io.k8s.api.policy.v1beta1.RuntimeClassStrategyOptions".
(
volumes".≤
array∫
≤
string
4
allowedCapabilities".≤
array∫
≤
string
5
allowedUnsafeSysctls".≤
array∫
≤
string
N
fsGroupC
>#/definitions/io.k8s.api.policy.v1beta1.FSGroupStrategyOptions".

hostPID".≤	
boolean
V
	hostPortsI".≤
array∫9
7
5#/definitions/io.k8s.api.policy.v1beta1.HostPortRange
R
	runAsUserE
@#/definitions/io.k8s.api.policy.v1beta1.RunAsUserStrategyOptions".
N
seLinuxC
>#/definitions/io.k8s.api.policy.v1beta1.SELinuxStrategyOptions".
d
supplementalGroupsN
I#/definitions/io.k8s.api.policy.v1beta1.SupplementalGroupsStrategyOptions".
a
allowedCSIDriversL".≤
array∫<
:
8#/definitions/io.k8s.api.policy.v1beta1.AllowedCSIDriver
T

runAsGroupF
A#/definitions/io.k8s.api.policy.v1beta1.RunAsGroupStrategyOptions".
6
allowedProcMountTypes".≤
array∫
≤
string

hostIPC".≤	
boolean
9
requiredDropCapabilities".≤
array∫
≤
string
ˇ
Hio.k8s.kube-aggregator.pkg.apis.apiregistration.v1beta1.APIServiceStatus≤".≤
object †
ù

conditionsé".≤
array∫]
[
Y#/definitions/io.k8s.kube-aggregator.pkg.apis.apiregistration.v1beta1.APIServiceCondition˙ 
x-kubernetes-list-typemap
˙'
x-kubernetes-patch-merge-keytype
˙'
x-kubernetes-patch-strategymerge
˙'
x-kubernetes-list-map-keys	- type

¶
%io.k8s.api.core.v1.CephFSVolumeSource¸".ömonitors≤
object ﬂ

user".≤
string
)
monitors".≤
array∫
≤
string

path".≤
string

readOnly".≤	
boolean


secretFile".≤
string
G
	secretRef:
5#/definitions/io.k8s.api.core.v1.LocalObjectReference".
‰
(io.k8s.api.core.v1.ConfigMapVolumeSource∑".≤
object •
%
defaultModeint32".≤	
integer
G
items>".≤
array∫.
,
*#/definitions/io.k8s.api.core.v1.KeyToPath

name".≤
string

optional".≤	
boolean
Å
io.k8s.api.core.v1.Container‡".öname≤
object «
<
livenessProbe+
&#/definitions/io.k8s.api.core.v1.Probe".
=
readinessProbe+
&#/definitions/io.k8s.api.core.v1.Probe".
G
	resources:
5#/definitions/io.k8s.api.core.v1.ResourceRequirements".
H
securityContext5
0#/definitions/io.k8s.api.core.v1.SecurityContext".
;
startupProbe+
&#/definitions/io.k8s.api.core.v1.Probe".
(
terminationMessagePath".≤
string
™
volumeMountsô".≤
array∫0
.
,#/definitions/io.k8s.api.core.v1.VolumeMount˙,
x-kubernetes-patch-merge-key
mountPath
˙'
x-kubernetes-patch-strategymerge

M
envFromB".≤
array∫2
0
.#/definitions/io.k8s.api.core.v1.EnvFromSource

stdin".≤	
boolean

tty".≤	
boolean
≠
volumeDevicesõ".≤
array∫1
/
-#/definitions/io.k8s.api.core.v1.VolumeDevice˙-
x-kubernetes-patch-merge-keydevicePath
˙'
x-kubernetes-patch-strategymerge



workingDir".≤
string

image".≤
string
ó
envè".≤
array∫+
)
'#/definitions/io.k8s.api.core.v1.EnvVar˙'
x-kubernetes-patch-merge-keyname
˙'
x-kubernetes-patch-strategymerge

<
	lifecycle/
*#/definitions/io.k8s.api.core.v1.Lifecycle".

name".≤
string
(
command".≤
array∫
≤
string
!
imagePullPolicy".≤
string
ä
portsÄ".≤
array∫2
0
.#/definitions/io.k8s.api.core.v1.ContainerPort˙;
x-kubernetes-list-map-keys- containerPort
- protocol
˙ 
x-kubernetes-list-typemap
˙0
x-kubernetes-patch-merge-keycontainerPort
˙'
x-kubernetes-patch-strategymerge


	stdinOnce".≤	
boolean
*
terminationMessagePolicy".≤
string
%
args".≤
array∫
≤
string
b
 io.k8s.api.core.v1.NamespaceSpec>".≤
object -
+

finalizers".≤
array∫
≤
string
Ó
%io.k8s.api.networking.v1.IngressClassƒ".≤
object Ã


apiVersion".≤
string

kind".≤
string
N
metadataB
=#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta".
D
spec<
7#/definitions/io.k8s.api.networking.v1.IngressClassSpec".˙c
x-kubernetes-group-version-kind@>- version: v1
  group: networking.k8s.io
  kind: IngressClass

Û
io.k8s.api.rbac.v1beta1.Role“".≤
object ’


apiVersion".≤
string

kind".≤
string
N
metadataB
=#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta".
M
rulesD".≤
array∫4
2
0#/definitions/io.k8s.api.rbac.v1beta1.PolicyRule˙h
x-kubernetes-group-version-kindEC- kind: Role
  version: v1beta1
  group: rbac.authorization.k8s.io

ò
$io.k8s.api.batch.v1beta1.CronJobSpecÔ".öscheduleöjobTemplate≤
object ƒ
4
successfulJobsHistoryLimitint32".≤	
integer

suspend".≤	
boolean
#
concurrencyPolicy".≤
string
0
failedJobsHistoryLimitint32".≤	
integer
J
jobTemplate;
6#/definitions/io.k8s.api.batch.v1beta1.JobTemplateSpec".

schedule".≤
string
1
startingDeadlineSecondsint64".≤	
integer
o
%io.k8s.api.core.v1.ConfigMapEnvSourceF".≤
object 5

name".≤
string

optional".≤	
boolean
¯
io.k8s.api.core.v1.VolumeMount’".önameö	mountPath≤
object ∞

name".≤
string

readOnly".≤	
boolean

subPath".≤
string

subPathExpr".≤
string

	mountPath".≤
string
"
mountPropagation".≤
string
™
.io.k8s.api.networking.v1.IngressServiceBackendx".öname≤
object `

name".≤
string
F
port>
9#/definitions/io.k8s.api.networking.v1.ServiceBackendPort".
ø
1io.k8s.api.storage.v1beta1.VolumeAttachmentSourceâ".≤
object x
N
inlineVolumeSpec:
5#/definitions/io.k8s.api.core.v1.PersistentVolumeSpec".
&
persistentVolumeName".≤
string
º
Zio.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceDefinitionCondition›".ötypeöstatus≤
object ª

message".≤
string

reason".≤
string

status".≤
string

type".≤
string
R
lastTransitionTime<
7#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.Time".
Ò
%io.k8s.api.core.v1.EphemeralContainer«".öname≤
object Æ
M
envFromB".≤
array∫2
0
.#/definitions/io.k8s.api.core.v1.EnvFromSource
!
imagePullPolicy".≤
string

name".≤
string
H
securityContext5
0#/definitions/io.k8s.api.core.v1.SecurityContext".
%
targetContainerName".≤
string
≠
volumeDevicesõ".≤
array∫1
/
-#/definitions/io.k8s.api.core.v1.VolumeDevice˙-
x-kubernetes-patch-merge-keydevicePath
˙'
x-kubernetes-patch-strategymerge

%
args".≤
array∫
≤
string
(
command".≤
array∫
≤
string


workingDir".≤
string
G
	resources:
5#/definitions/io.k8s.api.core.v1.ResourceRequirements".
;
startupProbe+
&#/definitions/io.k8s.api.core.v1.Probe".
™
volumeMountsô".≤
array∫0
.
,#/definitions/io.k8s.api.core.v1.VolumeMount˙,
x-kubernetes-patch-merge-key
mountPath
˙'
x-kubernetes-patch-strategymerge

ó
envè".≤
array∫+
)
'#/definitions/io.k8s.api.core.v1.EnvVar˙'
x-kubernetes-patch-merge-keyname
˙'
x-kubernetes-patch-strategymerge

=
readinessProbe+
&#/definitions/io.k8s.api.core.v1.Probe".

stdin".≤	
boolean

	stdinOnce".≤	
boolean
*
terminationMessagePolicy".≤
string

tty".≤	
boolean
<
	lifecycle/
*#/definitions/io.k8s.api.core.v1.Lifecycle".
<
livenessProbe+
&#/definitions/io.k8s.api.core.v1.Probe".
(
terminationMessagePath".≤
string

image".≤
string
K
portsB".≤
array∫2
0
.#/definitions/io.k8s.api.core.v1.ContainerPort
T
'io.k8s.api.core.v1.LocalObjectReference)".≤
object 

name".≤
string
v
Bio.k8s.api.flowcontrol.v1beta1.PriorityLevelConfigurationReference0".öname≤
object 

name".≤
string
 
#io.k8s.api.rbac.v1beta1.RoleBinding¢".öroleRef≤
object î
M
subjectsA".≤
array∫1
/
-#/definitions/io.k8s.api.rbac.v1beta1.Subject


apiVersion".≤
string

kind".≤
string
N
metadataB
=#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta".
=
roleRef2
-#/definitions/io.k8s.api.rbac.v1beta1.RoleRef".˙o
x-kubernetes-group-version-kindLJ- group: rbac.authorization.k8s.io
  kind: RoleBinding
  version: v1beta1

Å
2io.k8s.apimachinery.pkg.apis.meta.v1.PreconditionsK".≤
object :

uid".≤
string
!
resourceVersion".≤
string
á
io.k8s.api.core.v1.ConfigMapÊ".≤
object Ä
2

binaryData$".™
byte≤
string≤
object
&
data".™
≤
string≤
object

	immutable".≤	
boolean

kind".≤
string
N
metadataB
=#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta".


apiVersion".≤
string˙Q
x-kubernetes-group-version-kind.,- group: ""
  kind: ConfigMap
  version: v1

’
1io.k8s.api.core.v1.VsphereVirtualDiskVolumeSourceü".ö
volumePath≤
object Ä

fsType".≤
string
!
storagePolicyID".≤
string
#
storagePolicyName".≤
string


volumePath".≤
string
è
4io.k8s.api.core.v1.PersistentVolumeClaimVolumeSourceW".ö	claimName≤
object :

	claimName".≤
string

readOnly".≤	
boolean
∏
)io.k8s.api.networking.v1.IngressClassSpecä".≤
object y


controller".≤
string
Y

parametersK
F#/definitions/io.k8s.api.networking.v1.IngressClassParametersReference".
û
;io.k8s.api.admissionregistration.v1beta1.RuleWithOperationsﬁ".≤
object Ã
*
	apiGroups".≤
array∫
≤
string
,
apiVersions".≤
array∫
≤
string
+

operations".≤
array∫
≤
string
*
	resources".≤
array∫
≤
string

scope".≤
string
’
 io.k8s.api.core.v1.NodeCondition∞".ötypeöstatus≤
object é

type".≤
string
Q
lastHeartbeatTime<
7#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.Time".
R
lastTransitionTime<
7#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.Time".

message".≤
string

reason".≤
string

status".≤
string
†
8io.k8s.api.authorization.v1beta1.SubjectAccessReviewSpec„".≤
object —
6
extra-".™
≤
array∫
≤
string≤
object
&
group".≤
array∫
≤
string
b
nonResourceAttributesI
D#/definitions/io.k8s.api.authorization.v1beta1.NonResourceAttributes".
\
resourceAttributesF
A#/definitions/io.k8s.api.authorization.v1beta1.ResourceAttributes".

uid".≤
string

user".≤
string
î
io.k8s.api.rbac.v1.RoleRefv".öapiGroupökindöname≤
object L

apiGroup".≤
string

kind".≤
string

name".≤
string
¬
#io.k8s.api.storage.v1.CSIDriverSpecö".≤
object à
"
storageCapacity".≤	
boolean
{
tokenRequestsj".≤
array∫4
2
0#/definitions/io.k8s.api.storage.v1.TokenRequest˙#
x-kubernetes-list-type	atomic

X
volumeLifecycleModes@".≤
array∫
≤
string˙ 
x-kubernetes-list-typeset

!
attachRequired".≤	
boolean

fsGroupPolicy".≤
string
!
podInfoOnMount".≤	
boolean
$
requiresRepublish".≤	
boolean
ì
Nio.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.ExternalDocumentationA".≤
object 0

url≤
string

description≤
string
®
Jio.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.WebhookConversionŸ".öconversionReviewVersions≤
object ¨
o
clientConfig_
Z#/definitions/io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.WebhookClientConfig".
9
conversionReviewVersions".≤
array∫
≤
string

3io.k8s.api.authorization.v1.SelfSubjectAccessReview∏".öspec≤
object ´


apiVersion".≤
string

kind".≤
string
K
metadata?
=#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta
R
specJ
E#/definitions/io.k8s.api.authorization.v1.SelfSubjectAccessReviewSpec".
R
statusH
C#/definitions/io.k8s.api.authorization.v1.SubjectAccessReviewStatus".˙q
x-kubernetes-group-version-kindNL- group: authorization.k8s.io
  kind: SelfSubjectAccessReview
  version: v1

ï
<io.k8s.api.authorization.v1beta1.SelfSubjectAccessReviewSpec‘".≤
object ¬
b
nonResourceAttributesI
D#/definitions/io.k8s.api.authorization.v1beta1.NonResourceAttributes".
\
resourceAttributesF
A#/definitions/io.k8s.api.authorization.v1beta1.ResourceAttributes".
≠
$io.k8s.api.discovery.v1.EndpointPortÑ".≤
object s

appProtocol".≤
string

name".≤
string

portint32".≤	
integer

protocol".≤
string
Ê
)io.k8s.api.apps.v1.RollingUpdateDaemonSet∏".≤
object ¶
N
maxSurgeB
=#/definitions/io.k8s.apimachinery.pkg.util.intstr.IntOrString".
T
maxUnavailableB
=#/definitions/io.k8s.apimachinery.pkg.util.intstr.IntOrString".
∆
/io.k8s.api.autoscaling.v2beta2.HPAScalingPolicyí".ötypeövalueöperiodSeconds≤
object b
'
periodSecondsint32".≤	
integer

type".≤
string

valueint32".≤	
integer
∂
3io.k8s.api.policy.v1beta1.RunAsGroupStrategyOptions".örule≤
object g
M
rangesC".≤
array∫3
1
/#/definitions/io.k8s.api.policy.v1beta1.IDRange

rule".≤
string
µ
Aio.k8s.kube-aggregator.pkg.apis.apiregistration.v1.APIServiceListÔ".öitems≤
object Ë


apiVersion".≤
string
e
items\≤
array∫O
M
K#/definitions/io.k8s.kube-aggregator.pkg.apis.apiregistration.v1.APIService

kind".≤
string
I
metadata=
;#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta˙j
x-kubernetes-group-version-kindGE- group: apiregistration.k8s.io
  kind: APIServiceList
  version: v1

˜
3io.k8s.api.autoscaling.v2beta1.ExternalMetricSourceø".ö
metricName≤
object †


metricName".≤
string
W
metricSelectorE
@#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.LabelSelector".
V
targetAverageValue@
;#/definitions/io.k8s.apimachinery.pkg.api.resource.Quantity".
O
targetValue@
;#/definitions/io.k8s.apimachinery.pkg.api.resource.Quantity".
Ã
*io.k8s.api.networking.v1.NetworkPolicyPortù".≤
object ã
!
endPortint32".≤	
integer
J
portB
=#/definitions/io.k8s.apimachinery.pkg.util.intstr.IntOrString".

protocol".≤
string
”
io.k8s.api.core.v1.Taint∂".ökeyöeffect≤
object ï

effect".≤
string

key".≤
string
I
	timeAdded<
7#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.Time".

value".≤
string
à
)io.k8s.api.discovery.v1.EndpointSliceList⁄".öitems≤
object ÷


apiVersion".≤
string
P
itemsG".≤
array∫7
5
3#/definitions/io.k8s.api.discovery.v1.EndpointSlice

kind".≤
string
L
metadata@
;#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta".˙g
x-kubernetes-group-version-kindDB- group: discovery.k8s.io
  kind: EndpointSliceList
  version: v1

ä
+io.k8s.api.extensions.v1beta1.IngressStatus[".≤
object J
H
loadBalancer8
3#/definitions/io.k8s.api.core.v1.LoadBalancerStatus".
…
5io.k8s.api.authorization.v1.SubjectAccessReviewStatusè".öallowed≤
object t

allowed".≤	
boolean

denied".≤	
boolean
!
evaluationError".≤
string

reason".≤
string
¢
"io.k8s.api.core.v1.TCPSocketAction|".öport≤
object d
J
portB
=#/definitions/io.k8s.apimachinery.pkg.util.intstr.IntOrString".

host".≤
string
±
]io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1beta1.CustomResourceDefinitionVersionœ".önameöservedöstorage≤
object £
s
schemai
d#/definitions/io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1beta1.CustomResourceValidation".

served".≤	
boolean

storage".≤	
boolean
{
subresourcesk
f#/definitions/io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1beta1.CustomResourceSubresources".
ö
additionalPrinterColumns~".≤
array∫n
l
j#/definitions/io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1beta1.CustomResourceColumnDefinition


deprecated".≤	
boolean
$
deprecationWarning".≤
string

name".≤
string
_
+io.k8s.api.flowcontrol.v1beta1.GroupSubject0".öname≤
object 

name".≤
string
c
+io.k8s.api.policy.v1beta1.AllowedFlexVolume4".ödriver≤
object 

driver".≤
string
‹
1io.k8s.api.core.v1.PersistentVolumeClaimCondition¶".ötypeöstatus≤
object Ñ
M
lastProbeTime<
7#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.Time".
R
lastTransitionTime<
7#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.Time".

message".≤
string

reason".≤
string

status≤
string

type≤
string
«
io.k8s.api.core.v1.Toleration•".≤
object ì

effect".≤
string

key".≤
string

operator".≤
string
+
tolerationSecondsint64".≤	
integer

value".≤
string
Å
,io.k8s.api.core.v1.ReplicationControllerSpec–".≤
object æ
)
minReadySecondsint32".≤	
integer
"
replicasint32".≤	
integer
*
selector".™
≤
string≤
object
A
template5
0#/definitions/io.k8s.api.core.v1.PodTemplateSpec".
n
io.k8s.api.core.v1.SysctlQ".önameövalue≤
object 1

value".≤
string

name".≤
string
≠
+io.k8s.api.core.v1.TopologySpreadConstraint˝".ömaxSkewötopologyKeyöwhenUnsatisfiable≤
object ø
!
maxSkewint32".≤	
integer

topologyKey".≤
string
#
whenUnsatisfiable".≤
string
V
labelSelectorE
@#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.LabelSelector".
K
.io.k8s.apimachinery.pkg.apis.meta.v1.MicroTime	date-time".≤
string
ç
io.k8s.api.core.v1.KeyToPathm".ökeyöpath≤
object O

key".≤
string

modeint32".≤	
integer

path".≤
string
˛
%io.k8s.api.core.v1.NamespaceCondition‘".ötypeöstatus≤
object ≤

message≤
string

reason≤
string

status".≤
string

type".≤
string
O
lastTransitionTime9
7#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.Time
ˆ
&io.k8s.api.core.v1.ComponentStatusListÀ".öitems≤
object ”
M
itemsD".≤
array∫4
2
0#/definitions/io.k8s.api.core.v1.ComponentStatus

kind".≤
string
L
metadata@
;#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta".


apiVersion".≤
string˙[
x-kubernetes-group-version-kind86- group: ""
  kind: ComponentStatusList
  version: v1

ª
(io.k8s.api.core.v1.PersistentVolumeClaimé".≤
object ú


apiVersion".≤
string

kind".≤
string
N
metadataB
=#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta".
G
spec?
:#/definitions/io.k8s.api.core.v1.PersistentVolumeClaimSpec".
K
statusA
<#/definitions/io.k8s.api.core.v1.PersistentVolumeClaimStatus".˙]
x-kubernetes-group-version-kind:8- kind: PersistentVolumeClaim
  version: v1
  group: ""

É
(io.k8s.api.extensions.v1beta1.IngressTLSW".≤
object F
&
hosts".≤
array∫
≤
string


secretName".≤
string
∆
-io.k8s.api.networking.v1.HTTPIngressRuleValueî".öpaths≤
object {
y
pathsp".≤
array∫:
8
6#/definitions/io.k8s.api.networking.v1.HTTPIngressPath˙#
x-kubernetes-list-type	atomic

ì
1io.k8s.api.policy.v1beta1.PodDisruptionBudgetList›".öitems≤
object ÿ


apiVersion".≤
string
U
itemsL≤
array∫?
=
;#/definitions/io.k8s.api.policy.v1beta1.PodDisruptionBudget

kind".≤
string
I
metadata=
;#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta˙h
x-kubernetes-group-version-kindEC- kind: PodDisruptionBudgetList
  version: v1beta1
  group: policy

˘
Qio.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceConversion£".östrategy≤
object Ü

strategy".≤
string
h
webhook]
X#/definitions/io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.WebhookConversion".
Ó
%io.k8s.api.coordination.v1beta1.Leaseƒ".≤
object Ã

kind".≤
string
N
metadataB
=#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta".
D
spec<
7#/definitions/io.k8s.api.coordination.v1beta1.LeaseSpec".


apiVersion".≤
string˙c
x-kubernetes-group-version-kind@>- group: coordination.k8s.io
  kind: Lease
  version: v1beta1

˘
(io.k8s.api.core.v1.AzureDiskVolumeSourceÃ".ödiskNameödiskURI≤
object •

fsType".≤
string

kind".≤
string

readOnly".≤	
boolean

cachingMode".≤
string

diskName".≤
string

diskURI".≤
string
â
)io.k8s.api.autoscaling.v2beta1.MetricSpec€".ötype≤
object ¬
N
objectD
?#/definitions/io.k8s.api.autoscaling.v2beta1.ObjectMetricSource".
J
podsB
=#/definitions/io.k8s.api.autoscaling.v2beta1.PodsMetricSource".
R
resourceF
A#/definitions/io.k8s.api.autoscaling.v2beta1.ResourceMetricSource".

type".≤
string
d
containerResourceO
J#/definitions/io.k8s.api.autoscaling.v2beta1.ContainerResourceMetricSource".
R
externalF
A#/definitions/io.k8s.api.autoscaling.v2beta1.ExternalMetricSource".
â
)io.k8s.api.autoscaling.v2beta2.MetricSpec€".ötype≤
object ¬
R
resourceF
A#/definitions/io.k8s.api.autoscaling.v2beta2.ResourceMetricSource".

type".≤
string
d
containerResourceO
J#/definitions/io.k8s.api.autoscaling.v2beta2.ContainerResourceMetricSource".
R
externalF
A#/definitions/io.k8s.api.autoscaling.v2beta2.ExternalMetricSource".
N
objectD
?#/definitions/io.k8s.api.autoscaling.v2beta2.ObjectMetricSource".
J
podsB
=#/definitions/io.k8s.api.autoscaling.v2beta2.PodsMetricSource".
„
%io.k8s.api.core.v1.CinderVolumeSourceπ".övolumeID≤
object ú

fsType".≤
string

readOnly".≤	
boolean
G
	secretRef:
5#/definitions/io.k8s.api.core.v1.LocalObjectReference".

volumeID".≤
string
∑
#io.k8s.api.core.v1.SecretProjectionè".≤
object ~
G
items>".≤
array∫.
,
*#/definitions/io.k8s.api.core.v1.KeyToPath

name".≤
string

optional".≤	
boolean
≤
)io.k8s.api.discovery.v1beta1.EndpointPortÑ".≤
object s

appProtocol".≤
string

name".≤
string

portint32".≤	
integer

protocol".≤
string
Ñ
/io.k8s.apimachinery.pkg.apis.meta.v1.WatchEvent–".ötypeöobject≤
object `
I
object?
:#/definitions/io.k8s.apimachinery.pkg.runtime.RawExtension".

type≤
string˙À
x-kubernetes-group-version-kindß§- group: ""
  kind: WatchEvent
  version: v1
- version: v1
  group: admission.k8s.io
  kind: WatchEvent
- group: admission.k8s.io
  kind: WatchEvent
  version: v1beta1
- group: admissionregistration.k8s.io
  kind: WatchEvent
  version: v1
- group: admissionregistration.k8s.io
  kind: WatchEvent
  version: v1beta1
- group: apiextensions.k8s.io
  kind: WatchEvent
  version: v1
- kind: WatchEvent
  version: v1beta1
  group: apiextensions.k8s.io
- group: apiregistration.k8s.io
  kind: WatchEvent
  version: v1
- group: apiregistration.k8s.io
  kind: WatchEvent
  version: v1beta1
- group: apps
  kind: WatchEvent
  version: v1
- group: apps
  kind: WatchEvent
  version: v1beta1
- group: apps
  kind: WatchEvent
  version: v1beta2
- kind: WatchEvent
  version: v1
  group: authentication.k8s.io
- group: authentication.k8s.io
  kind: WatchEvent
  version: v1beta1
- kind: WatchEvent
  version: v1
  group: authorization.k8s.io
- group: authorization.k8s.io
  kind: WatchEvent
  version: v1beta1
- group: autoscaling
  kind: WatchEvent
  version: v1
- kind: WatchEvent
  version: v2beta1
  group: autoscaling
- group: autoscaling
  kind: WatchEvent
  version: v2beta2
- group: batch
  kind: WatchEvent
  version: v1
- group: batch
  kind: WatchEvent
  version: v1beta1
- group: certificates.k8s.io
  kind: WatchEvent
  version: v1
- group: certificates.k8s.io
  kind: WatchEvent
  version: v1beta1
- group: coordination.k8s.io
  kind: WatchEvent
  version: v1
- group: coordination.k8s.io
  kind: WatchEvent
  version: v1beta1
- group: discovery.k8s.io
  kind: WatchEvent
  version: v1
- group: discovery.k8s.io
  kind: WatchEvent
  version: v1beta1
- group: events.k8s.io
  kind: WatchEvent
  version: v1
- group: events.k8s.io
  kind: WatchEvent
  version: v1beta1
- group: extensions
  kind: WatchEvent
  version: v1beta1
- kind: WatchEvent
  version: v1alpha1
  group: flowcontrol.apiserver.k8s.io
- group: flowcontrol.apiserver.k8s.io
  kind: WatchEvent
  version: v1beta1
- group: imagepolicy.k8s.io
  kind: WatchEvent
  version: v1alpha1
- kind: WatchEvent
  version: v1alpha1
  group: internal.apiserver.k8s.io
- group: networking.k8s.io
  kind: WatchEvent
  version: v1
- group: networking.k8s.io
  kind: WatchEvent
  version: v1beta1
- group: node.k8s.io
  kind: WatchEvent
  version: v1
- version: v1alpha1
  group: node.k8s.io
  kind: WatchEvent
- group: node.k8s.io
  kind: WatchEvent
  version: v1beta1
- version: v1
  group: policy
  kind: WatchEvent
- version: v1beta1
  group: policy
  kind: WatchEvent
- kind: WatchEvent
  version: v1
  group: rbac.authorization.k8s.io
- version: v1alpha1
  group: rbac.authorization.k8s.io
  kind: WatchEvent
- group: rbac.authorization.k8s.io
  kind: WatchEvent
  version: v1beta1
- group: scheduling.k8s.io
  kind: WatchEvent
  version: v1
- group: scheduling.k8s.io
  kind: WatchEvent
  version: v1alpha1
- group: scheduling.k8s.io
  kind: WatchEvent
  version: v1beta1
- group: storage.k8s.io
  kind: WatchEvent
  version: v1
- group: storage.k8s.io
  kind: WatchEvent
  version: v1alpha1
- group: storage.k8s.io
  kind: WatchEvent
  version: v1beta1

¸
-io.k8s.api.authorization.v1beta1.ResourceRule ".överbs≤
object ∞
*
	apiGroups".≤
array∫
≤
string
.
resourceNames".≤
array∫
≤
string
*
	resources".≤
array∫
≤
string
&
verbs".≤
array∫
≤
string
Œ
:io.k8s.api.authorization.v1beta1.SubjectAccessReviewStatusè".öallowed≤
object t

denied".≤	
boolean
!
evaluationError".≤
string

reason".≤
string

allowed".≤	
boolean
Ô
Fio.k8s.kube-aggregator.pkg.apis.apiregistration.v1beta1.APIServiceSpec§".ögroupPriorityMinimumöversionPriority≤
object È
F
caBundle:byte".≤
string˙#
x-kubernetes-list-type	atomic


group".≤
string
.
groupPriorityMinimumint32".≤	
integer
(
insecureSkipTLSVerify".≤	
boolean
f
service[
V#/definitions/io.k8s.kube-aggregator.pkg.apis.apiregistration.v1beta1.ServiceReference".

version".≤
string
)
versionPriorityint32".≤	
integer
ò
!io.k8s.api.core.v1.NodeSystemInfoÚ".ö	machineIDö
systemUUIDöbootIDökernelVersionöosImageöcontainerRuntimeVersionökubeletVersionökubeProxyVersionöoperatingSystemöarchitecture≤
object ≈
"
kubeProxyVersion".≤
string
 
kubeletVersion".≤
string

	machineID".≤
string
!
operatingSystem".≤
string


systemUUID".≤
string

kernelVersion".≤
string

bootID".≤
string
)
containerRuntimeVersion".≤
string

osImage".≤
string

architecture".≤
string
Ø
>io.k8s.apimachinery.pkg.apis.meta.v1.ServerAddressByClientCIDRm".ö
clientCIDRöserverAddress≤
object ?


clientCIDR".≤
string

serverAddress".≤
string
í
(io.k8s.api.core.v1.DownwardAPIProjectionf".≤
object U
S
itemsJ".≤
array∫:
8
6#/definitions/io.k8s.api.core.v1.DownwardAPIVolumeFile
º
*io.k8s.api.core.v1.DownwardAPIVolumeSourceç".≤
object |
%
defaultModeint32".≤	
integer
S
itemsJ".≤
array∫:
8
6#/definitions/io.k8s.api.core.v1.DownwardAPIVolumeFile
Ë
/io.k8s.api.core.v1.CinderPersistentVolumeSource¥".övolumeID≤
object ó

readOnly".≤	
boolean
B
	secretRef5
0#/definitions/io.k8s.api.core.v1.SecretReference".

volumeID".≤
string

fsType".≤
string
ó
,io.k8s.api.flowcontrol.v1beta1.LimitResponseÊ".ötype≤
object k
Q
queuingF
A#/definitions/io.k8s.api.flowcontrol.v1beta1.QueuingConfiguration".

type".≤
string˙`
x-kubernetes-unionsIG- discriminator: type
  fields-to-discriminateBy:
    queuing: Queuing

Ï
Uio.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceDefinitionListí".öitems≤
object ˇ


apiVersion".≤
string
|
itemss".≤
array∫c
a
_#/definitions/io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceDefinition

kind".≤
string
I
metadata=
;#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta˙v
x-kubernetes-group-version-kindSQ- group: apiextensions.k8s.io
  kind: CustomResourceDefinitionList
  version: v1

»
(io.k8s.api.authentication.v1.TokenReviewõ".öspec≤
object ô
K
metadata?
=#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta
G
spec?
:#/definitions/io.k8s.api.authentication.v1.TokenReviewSpec".
K
statusA
<#/definitions/io.k8s.api.authentication.v1.TokenReviewStatus".


apiVersion".≤
string

kind".≤
string˙f
x-kubernetes-group-version-kindCA- version: v1
  group: authentication.k8s.io
  kind: TokenReview

Ç
9io.k8s.api.authorization.v1beta1.LocalSubjectAccessReviewƒ".öspec≤
object ±
S
specK
F#/definitions/io.k8s.api.authorization.v1beta1.SubjectAccessReviewSpec".
W
statusM
H#/definitions/io.k8s.api.authorization.v1beta1.SubjectAccessReviewStatus".


apiVersion".≤
string

kind".≤
string
K
metadata?
=#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta˙w
x-kubernetes-group-version-kindTR- group: authorization.k8s.io
  kind: LocalSubjectAccessReview
  version: v1beta1

à
,io.k8s.api.core.v1.ReplicationControllerList◊".öitems≤
object Ÿ

kind".≤
string
L
metadata@
;#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta".


apiVersion".≤
string
S
itemsJ".≤
array∫:
8
6#/definitions/io.k8s.api.core.v1.ReplicationController˙a
x-kubernetes-group-version-kind><- kind: ReplicationControllerList
  version: v1
  group: ""

±
%io.k8s.api.extensions.v1beta1.Ingressá".≤
object ñ


apiVersion".≤
string

kind".≤
string
N
metadataB
=#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta".
D
spec<
7#/definitions/io.k8s.api.extensions.v1beta1.IngressSpec".
H
status>
9#/definitions/io.k8s.api.extensions.v1beta1.IngressStatus".˙\
x-kubernetes-group-version-kind97- group: extensions
  kind: Ingress
  version: v1beta1

U
Nio.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaPropsOrBool".
>
,io.k8s.apimachinery.pkg.runtime.RawExtension".≤
object
é
io.k8s.api.batch.v1.CronJobSpecÍ".öscheduleöjobTemplate≤
object ø
1
startingDeadlineSecondsint64".≤	
integer
4
successfulJobsHistoryLimitint32".≤	
integer

suspend".≤	
boolean
#
concurrencyPolicy".≤
string
0
failedJobsHistoryLimitint32".≤	
integer
E
jobTemplate6
1#/definitions/io.k8s.api.batch.v1.JobTemplateSpec".

schedule".≤
string
¬
#io.k8s.api.batch.v1.JobTemplateSpecö".≤
object à
N
metadataB
=#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta".
6
spec.
)#/definitions/io.k8s.api.batch.v1.JobSpec".
€
"io.k8s.api.core.v1.RBDVolumeSource¥".ömonitorsöimage≤
object è

user".≤
string

fsType".≤
string

image".≤
string

keyring".≤
string
)
monitors".≤
array∫
≤
string

pool".≤
string

readOnly".≤	
boolean
G
	secretRef:
5#/definitions/io.k8s.api.core.v1.LocalObjectReference".
„
*io.k8s.api.discovery.v1beta1.EndpointSlice¥".öaddressTypeö	endpoints≤
object ù

addressType".≤
string


apiVersion".≤
string
z
	endpointsm".≤
array∫7
5
3#/definitions/io.k8s.api.discovery.v1beta1.Endpoint˙#
x-kubernetes-list-type	atomic


kind".≤
string
N
metadataB
=#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta".
z
portsq".≤
array∫;
9
7#/definitions/io.k8s.api.discovery.v1beta1.EndpointPort˙#
x-kubernetes-list-type	atomic
˙h
x-kubernetes-group-version-kindEC- version: v1beta1
  group: discovery.k8s.io
  kind: EndpointSlice

§
#io.k8s.api.networking.v1.IngressTLS}".≤
object l
L
hostsC".≤
array∫
≤
string˙#
x-kubernetes-list-type	atomic



secretName".≤
string
Å
"io.k8s.api.rbac.v1.RoleBindingList⁄".öitems≤
object œ


apiVersion".≤
string
I
items@".≤
array∫0
.
,#/definitions/io.k8s.api.rbac.v1.RoleBinding

kind".≤
string
L
metadata@
;#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta".˙n
x-kubernetes-group-version-kindKI- group: rbac.authorization.k8s.io
  kind: RoleBindingList
  version: v1

¥
2io.k8s.apimachinery.pkg.apis.meta.v1.StatusDetails˝".≤
object Î

kind".≤
string

name".≤
string
+
retryAfterSecondsint32".≤	
integer

uid".≤
string
\
causesR".≤
array∫B
@
>#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.StatusCause

group".≤
string
ô
%io.k8s.api.apps.v1.ControllerRevisionÔ".örevision≤
object Û

kind".≤
string
N
metadataB
=#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta".
"
revisionint64".≤	
integer


apiVersion".≤
string
G
data?
:#/definitions/io.k8s.apimachinery.pkg.runtime.RawExtension".˙\
x-kubernetes-group-version-kind97- group: apps
  kind: ControllerRevision
  version: v1

‚
 io.k8s.api.core.v1.ContainerPortΩ".öcontainerPort≤
object õ

hostIP".≤
string
"
hostPortint32".≤	
integer

name".≤
string

protocol".≤
string
'
containerPortint32".≤	
integer
Ô
1io.k8s.api.storage.v1beta1.CSIStorageCapacityListπ".öitems≤
object ≠


apiVersion".≤
string
¶
itemsú".≤
array∫?
=
;#/definitions/io.k8s.api.storage.v1beta1.CSIStorageCapacity˙'
x-kubernetes-list-map-keys	- name
˙ 
x-kubernetes-list-typemap


kind".≤
string
L
metadata@
;#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta".˙o
x-kubernetes-group-version-kindLJ- group: storage.k8s.io
  kind: CSIStorageCapacityList
  version: v1beta1

ÿ
+io.k8s.apimachinery.pkg.apis.meta.v1.Status®".≤
object ≈

message".≤
string
L
metadata@
;#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta".

reason".≤
string

status".≤
string


apiVersion".≤
string

codeint32".≤	
integer
P
detailsE
@#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.StatusDetails".

kind".≤
string˙N
x-kubernetes-group-version-kind+)- group: ""
  kind: Status
  version: v1


-io.k8s.api.flowcontrol.v1beta1.FlowSchemaSpecæ".öpriorityLevelConfiguration≤
object è
á
rules~".≤
array∫H
F
D#/definitions/io.k8s.api.flowcontrol.v1beta1.PolicyRulesWithSubjects˙#
x-kubernetes-list-type	atomic

`
distinguisherMethodI
D#/definitions/io.k8s.api.flowcontrol.v1beta1.FlowDistinguisherMethod".
,
matchingPrecedenceint32".≤	
integer
s
priorityLevelConfigurationU
P#/definitions/io.k8s.api.flowcontrol.v1beta1.PriorityLevelConfigurationReference".
É
(io.k8s.api.networking.v1beta1.IngressTLSW".≤
object F
&
hosts".≤
array∫
≤
string


secretName".≤
string
Æ
io.k8s.api.core.v1.PodAffinityã".≤
object ˘

/preferredDuringSchedulingIgnoredDuringExecutionL".≤
array∫<
:
8#/definitions/io.k8s.api.core.v1.WeightedPodAffinityTerm
v
.requiredDuringSchedulingIgnoredDuringExecutionD".≤
array∫4
2
0#/definitions/io.k8s.api.core.v1.PodAffinityTerm
ß
io.k8s.api.rbac.v1.Subjectà".ökindöname≤
object i

name".≤
string

	namespace".≤
string

apiGroup".≤
string

kind".≤
string
Å
)io.k8s.api.apps.v1.ControllerRevisionList”".öitems≤
object ÷


apiVersion".≤
string
P
itemsG".≤
array∫7
5
3#/definitions/io.k8s.api.apps.v1.ControllerRevision

kind".≤
string
L
metadata@
;#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta".˙`
x-kubernetes-group-version-kind=;- group: apps
  kind: ControllerRevisionList
  version: v1

Ã
3io.k8s.api.core.v1.AWSElasticBlockStoreVolumeSourceî".övolumeID≤
object x

fsType".≤
string
#
	partitionint32".≤	
integer

readOnly".≤	
boolean

volumeID".≤
string
`
!io.k8s.api.core.v1.ClientIPConfig;".≤
object *
(
timeoutSecondsint32".≤	
integer
›
2io.k8s.apimachinery.pkg.apis.meta.v1.DeleteOptions¶".≤
object Ø


apiVersion".≤
string
'
dryRun".≤
array∫
≤
string
,
gracePeriodSecondsint64".≤	
integer

kind".≤
string
#
orphanDependents".≤	
boolean
V
preconditionsE
@#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.Preconditions".
#
propagationPolicy".≤
string˙·
x-kubernetes-group-version-kindΩ∫- group: ""
  kind: DeleteOptions
  version: v1
- group: admission.k8s.io
  kind: DeleteOptions
  version: v1
- version: v1beta1
  group: admission.k8s.io
  kind: DeleteOptions
- group: admissionregistration.k8s.io
  kind: DeleteOptions
  version: v1
- group: admissionregistration.k8s.io
  kind: DeleteOptions
  version: v1beta1
- kind: DeleteOptions
  version: v1
  group: apiextensions.k8s.io
- group: apiextensions.k8s.io
  kind: DeleteOptions
  version: v1beta1
- group: apiregistration.k8s.io
  kind: DeleteOptions
  version: v1
- kind: DeleteOptions
  version: v1beta1
  group: apiregistration.k8s.io
- version: v1
  group: apps
  kind: DeleteOptions
- group: apps
  kind: DeleteOptions
  version: v1beta1
- group: apps
  kind: DeleteOptions
  version: v1beta2
- group: authentication.k8s.io
  kind: DeleteOptions
  version: v1
- group: authentication.k8s.io
  kind: DeleteOptions
  version: v1beta1
- version: v1
  group: authorization.k8s.io
  kind: DeleteOptions
- group: authorization.k8s.io
  kind: DeleteOptions
  version: v1beta1
- group: autoscaling
  kind: DeleteOptions
  version: v1
- group: autoscaling
  kind: DeleteOptions
  version: v2beta1
- version: v2beta2
  group: autoscaling
  kind: DeleteOptions
- group: batch
  kind: DeleteOptions
  version: v1
- group: batch
  kind: DeleteOptions
  version: v1beta1
- group: certificates.k8s.io
  kind: DeleteOptions
  version: v1
- kind: DeleteOptions
  version: v1beta1
  group: certificates.k8s.io
- group: coordination.k8s.io
  kind: DeleteOptions
  version: v1
- group: coordination.k8s.io
  kind: DeleteOptions
  version: v1beta1
- kind: DeleteOptions
  version: v1
  group: discovery.k8s.io
- group: discovery.k8s.io
  kind: DeleteOptions
  version: v1beta1
- group: events.k8s.io
  kind: DeleteOptions
  version: v1
- group: events.k8s.io
  kind: DeleteOptions
  version: v1beta1
- kind: DeleteOptions
  version: v1beta1
  group: extensions
- version: v1alpha1
  group: flowcontrol.apiserver.k8s.io
  kind: DeleteOptions
- group: flowcontrol.apiserver.k8s.io
  kind: DeleteOptions
  version: v1beta1
- group: imagepolicy.k8s.io
  kind: DeleteOptions
  version: v1alpha1
- group: internal.apiserver.k8s.io
  kind: DeleteOptions
  version: v1alpha1
- kind: DeleteOptions
  version: v1
  group: networking.k8s.io
- kind: DeleteOptions
  version: v1beta1
  group: networking.k8s.io
- group: node.k8s.io
  kind: DeleteOptions
  version: v1
- group: node.k8s.io
  kind: DeleteOptions
  version: v1alpha1
- group: node.k8s.io
  kind: DeleteOptions
  version: v1beta1
- kind: DeleteOptions
  version: v1
  group: policy
- version: v1beta1
  group: policy
  kind: DeleteOptions
- group: rbac.authorization.k8s.io
  kind: DeleteOptions
  version: v1
- version: v1alpha1
  group: rbac.authorization.k8s.io
  kind: DeleteOptions
- version: v1beta1
  group: rbac.authorization.k8s.io
  kind: DeleteOptions
- kind: DeleteOptions
  version: v1
  group: scheduling.k8s.io
- group: scheduling.k8s.io
  kind: DeleteOptions
  version: v1alpha1
- version: v1beta1
  group: scheduling.k8s.io
  kind: DeleteOptions
- group: storage.k8s.io
  kind: DeleteOptions
  version: v1
- group: storage.k8s.io
  kind: DeleteOptions
  version: v1alpha1
- group: storage.k8s.io
  kind: DeleteOptions
  version: v1beta1

à
io.k8s.api.events.v1.EventÈ".ö	eventTime≤
object 
#
reportingInstance".≤
string

action".≤
string

kind".≤
string
N
metadataB
=#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta".
@
related5
0#/definitions/io.k8s.api.core.v1.ObjectReference".
%
reportingController".≤
string
)
deprecatedCountint32".≤	
integer
E
deprecatedSource1
,#/definitions/io.k8s.api.core.v1.EventSource".

reason".≤
string
=
series3
.#/definitions/io.k8s.api.events.v1.EventSeries".


apiVersion".≤
string
N
	eventTimeA
<#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.MicroTime".

note".≤
string
B
	regarding5
0#/definitions/io.k8s.api.core.v1.ObjectReference".

type".≤
string
X
deprecatedFirstTimestamp<
7#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.Time".
W
deprecatedLastTimestamp<
7#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.Time".˙X
x-kubernetes-group-version-kind53- kind: Event
  version: v1
  group: events.k8s.io

∫
,io.k8s.api.storage.v1.VolumeAttachmentSourceâ".≤
object x
N
inlineVolumeSpec:
5#/definitions/io.k8s.api.core.v1.PersistentVolumeSpec".
&
persistentVolumeName".≤
string
Ê
io.k8s.api.core.v1.EnvVarSource¬".≤
object ∞
M
configMapKeyRef:
5#/definitions/io.k8s.api.core.v1.ConfigMapKeySelector".
E
fieldRef9
4#/definitions/io.k8s.api.core.v1.ObjectFieldSelector".
O
resourceFieldRef;
6#/definitions/io.k8s.api.core.v1.ResourceFieldSelector".
G
secretKeyRef7
2#/definitions/io.k8s.api.core.v1.SecretKeySelector".
ã
io.k8s.api.core.v1.NamespaceÍ".≤
object Ñ
?
status5
0#/definitions/io.k8s.api.core.v1.NamespaceStatus".


apiVersion".≤
string

kind".≤
string
N
metadataB
=#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta".
;
spec3
.#/definitions/io.k8s.api.core.v1.NamespaceSpec".˙Q
x-kubernetes-group-version-kind.,- group: ""
  kind: Namespace
  version: v1
