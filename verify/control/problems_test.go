package control_test

// slices under which the properties of all actors are tested: every actor occurs.
var problems = []string{`
nodes a 2 cpu=2
both web image=v1 cpu=500m
hpa both web min=1 max=3 target=70
vpa head web only=cpu
pdb web unavailable=1
events apply=1 load=1`, `
nodes a 2 cpu=2
both queue image=v1 cpu=200m
hpa both queue min=1 max=3 queue=30
keda head queue
both db replicas=1 image=v1 cpu=200m
vpa both db mode=InPlaceOrRecreate min=1 only=cpu
events load=1`, `
nodes a 2
both web image=v1 cpu=500m memory=100Mi
both worker app=web replicas=2 image=v1 cpu=300m memory=50Mi
hpa both web min=2 max=6 target=50
hpa head web min=3 max=5 memory=80
events apply=1 load=1`, `
nodes a 3
both web replicas=3 image=v1 cpu=500m memory=100Mi
hpa base web min=1 max=12 memory=80 queue=30 container=70
hpa head web min=2 max=9 memory=80 target=50 up=Max,4pods,30s down=Min,2pods,60s
gitops
events apply=1 load=2 spike=300 idle=60`, `
nodes a 3 zone=a
nodes b 2 zone=b
base web replicas=3 image=v1 cpu=500m surge=1 unavailable=0
head web image=v2 cpu=250m surge=50% unavailable=1
hpa both web min=2 max=6 target=50
base db image=v1 recreate
head db image=v2 recreate
both idle replicas=2 apart
events apply=2 load=2`, `
nodes a 3 zone=a
base web replicas=3 image=v1 cpu=500m alone
head web replicas=2 image=v2 cpu=250m alone
both api replicas=1 image=v1 cpu=500m
hpa both web min=2 max=4 target=50
events apply=1 load=1 drain=1 failures=1`, `
nodes a 3 zone=a
base web replicas=3 image=v1 cpu=500m rollout steps=25,pause,50,hold surge=1
head web replicas=3 image=v2 cpu=500m rollout steps=25,pause,50,hold surge=1
base mesh image=v1 cpu=500m rollout steps=scale2,20,hold,60 routed dynamic abort=60
head mesh image=v2 cpu=500m rollout steps=20,hold,80 routed dynamic deadline
hpa both mesh min=2 max=4 target=50
base blue replicas=2 image=v1 cpu=500m rollout blue hand
head blue replicas=2 image=v2 cpu=500m rollout blue preview=1
events apply=1 load=1 bad=1`, `
nodes a 4
server-side
base web image=v1 cpu=500m
head web replicas=2 image=v1 cpu=500m paused
hpa head web min=2 max=6 average=400m up=Min,2pods,50% down=Disabled
gitops
events apply=1 load=1`, `
nodes a 4 min=1 max=5 karpenter zone=a cpu=2
nodes b 2 min=1 max=2 karpenter grace=1h zone=b cpu=2
base web replicas=3 image=v1 cpu=500m aside
head web replicas=3 image=v2 cpu=500m
both db replicas=2 image=v1 cpu=300m apart
pdb db unavailable=1
events apply=1 removed=2`, `
nodes a 4 min=1 max=5 autoscaled spot zone=a cpu=2
nodes b 2 min=1 zone=b cpu=2
base web replicas=3 image=v1 cpu=500m
head web replicas=3 image=v2 cpu=500m
both db replicas=2 image=v1 cpu=300m apart
pdb db unavailable=1
cluster-autoscaler
events apply=1 drain=1 failures=1 added=1 removed=2 reclaims=1`, `
nodes a 3 zone=a
nodes b 2 zone=b taint=k:NoExecute
nodes c 1 zone=b cpu=2
base web replicas=3 image=v1 cpu=500m
head web replicas=3 image=v2 cpu=500m tolerate=0
both db replicas=2 image=v1 tolerate=60
both pin replicas=3 image=v1 cpu=1 port=80 node=c-1
pdb web unavailable=1
events apply=1 drain=3 at-once=2 failures=2`, `
nodes a 3 zone=a cpu=4
nodes b 2 zone=b
base web replicas=3 image=v1 cpu=500m minready=10
head web replicas=3 image=v2 cpu=500m
both api image=v1 cpu=500m minready=10
hpa both api min=1 max=4 target=50
pdb web unavailable=1
quota pods=9 requests.cpu=4
events apply=1 load=1 spike=300 panic=98 drain=2 failures=1 crashes=2 bad=1`, `
nodes a 3 zone=a cpu=2
nodes b 2 zone=b cpu=1 pods=4
base web replicas=3 image=v1 cpu=500m priority=10
head web replicas=3 image=v2 cpu=800m priority=20
both batch replicas=4 image=v1 cpu=300m
both low replicas=2 image=v1 cpu=300m priority=-5 never apart
both agent replicas=2 image=v1 cpu=1 port=80 priority=15
both shy replicas=2 image=v1 cpu=400m priority=15 never port=80
pdb batch unavailable=1
events apply=1 drain=2 failures=1`, `
nodes a 3 zone=a
nodes b 1 zone=b cpu=2
base web replicas=3 image=v1 cpu=500m
head web replicas=3 image=v2 tolerate=0
both pin replicas=2 image=v1 node=b-1
both system replicas=1 image=v1 priority=2000000000
events apply=1 failures=1 drain=1 disk=2 memory=1`, `
nodes a 2 zone=a min=1
nodes b 1 zone=b min=1
claim data zone
claim early zone immediate shared
claim disk node
claim own once
claim fixed pv=topology.kubernetes.io/zone:b
base web replicas=2 image=v1 volume=data
head web replicas=2 image=v2 volume=data
both early image=v1 volume=early
both disk replicas=2 image=v1 volume=disk
both own replicas=2 image=v1 volume=own
both fixed replicas=2 image=v1 volume=fixed
events apply=1 removed=1`, `
nodes a 3 zone=a
nodes b 2 zone=b cpu=2
base db replicas=3 image=v1 cpu=500m minready=10 partition=1 stateful
head db replicas=2 image=v2 cpu=500m start=1 partition=1 stateful
base mq replicas=2 image=v1 stateful parallel apart
head mq replicas=3 image=v2 stateful parallel apart
both web replicas=2 image=v1 cpu=500m
pdb mq unavailable=1
quota pods=9
events apply=1 drain=1 failures=1 out-of-service=1 crashes=1 bad=1 rollback=1`, `
nodes a 3 zone=a
nodes b 2 zone=b
base guard replicas=2 image=v1 cpu=500m
head guard replicas=2 image=v2 cpu=800m
both web replicas=3 image=v1 cpu=500m
webhook guard
limit-range default=700m
events apply=1 drain=1 failures=2`, `
nodes a 3 zone=a cpu=2
nodes b 2 zone=b cpu=2
both once image=v1 cpu=500m job parallelism=2 completions=5
base report image=v1 cpu=500m cronjob deadline=60
head report image=v2 cpu=500m cronjob concurrency=Replace deadline=60
both pile image=v1 cpu=300m cronjob concurrency=Allow
quota pods=9
events apply=1 drain=1 failures=1 overrun=2`, `
nodes a 3 zone=a min=1
nodes b 1 zone=b cpu=2 taint=k:NoSchedule min=0
base logs image=v1 cpu=100m daemon minready=10 priority=10
head logs image=v2 cpu=100m daemon unavailable=50% priority=10
base edge image=v1 daemon surge=1 unavailable=0
head edge image=v2 daemon surge=50% unavailable=0 tolerate=0
base agent image=v1 daemon ondelete
head agent image=v2 daemon ondelete port=80
both gone image=v1 cpu=100m daemon
both web replicas=2 image=v1 cpu=500m
events apply=1 drain=1 failures=1 removed=1 disk=1`, `
nodes a 3
base web replicas=4 image=v1 cpu=500m
head web replicas=4 image=v2 cpu=500m
both api replicas=3 image=v1 cpu=100m apart
hpa both api min=1 max=3 target=50
events apply=1 crashes=1 bad=1 restarts=2`, `
nodes a 3
both web replicas=3 image=v1 cpu=500m
base db replicas=2 image=v1 stateful ondelete
head db replicas=2 image=v2 stateful ondelete
both worker replicas=2 image=v1 cpu=100m
own reloader web restart watch=config differs when=changed sync
own refresher write=config
own operator db delete=outdated evict when=ready
own janitor web delete=unready when=spread
both api replicas=3 image=v1 cpu=100m
own scaler worker scale=api max=3
pdb db unavailable=1
events apply=1`, `
nodes a 2 zone=a
nodes b 2 zone=b taint=k:NoExecute
base web replicas=3 image=v1 cpu=500m tolerate=60
head web replicas=3 image=v2 cpu=500m tolerate=60
pdb web unavailable=1
events apply=1 failures=1 drain=1`, `
nodes a 3
base web replicas=2 image=v1 cpu=500m
head web replicas=3 image=v2 cpu=500m step=1
both api image=v1 cpu=100m replaced
hpa base api min=1 max=3 target=50
hpa head api min=2 max=3 target=50
pdb api unavailable=1
base db replicas=1 image=v1 stateful step=2
head db replicas=1 image=v2 stateful
base old replicas=1 image=v1 cpu=100m step=3
quota pods=9
events apply=1 rollback=1 bad=1`, `
nodes a 3
base web replicas=2 image=v1 cpu=100m
head web replicas=4 image=v1 cpu=100m
base mq replicas=2 image=v1 stateful parallel
head mq replicas=3 image=v2 stateful parallel
base logs image=v1 cpu=100m daemon
head logs image=v2 cpu=100m daemon unavailable=100%
both once image=v1 cpu=500m job parallelism=3 completions=5
events apply=1 restarts=1`, `
nodes a 3
helm rollback retries=1 last
base web replicas=2 image=v1 cpu=500m
head web replicas=3 image=v2 cpu=500m
base db replicas=2 image=v1 stateful
head db replicas=2 image=v2 stateful
events apply=1 drain=1 failures=1 bad=1`, `
nodes a 3
helm uninstall retries=-1 reinstalls
base web replicas=2 image=v1 cpu=500m
head web replicas=3 image=v2 cpu=500m
base logs image=v1 cpu=100m daemon
head logs image=v2 cpu=100m daemon
events apply=1 crashes=1 bad=1`, `
nodes a 3
helm leave retries=-1
base web replicas=2 image=v1 cpu=500m
head web replicas=3 image=v2 cpu=500m
hpa both web min=1 max=4 target=50
events apply=1 load=1 bad=1`, `
nodes a 3
straight
server-side
base web replicas=2 image=v1 cpu=500m
head web replicas=3 image=v2 cpu=500m
both api replicas=2 image=v1 cpu=100m
base old replicas=1 image=v1 cpu=100m step=1
hpa base old min=1 max=3 target=50
quota pods=9
events apply=1 bad=1`, `
nodes a 3
base web replicas=4 image=v1 cpu=500m
head web replicas=4 image=v2 cpu=500m
pdb web unavailable=1
base db replicas=2 image=v1 stateful
head db replicas=2 image=v2 stateful
both worker replicas=2 image=v1 cpu=100m
own janitor worker delete=unready when=ready
events apply=1 drain=1 failures=1 crashes=1 stale=2 restarts=1`, `
nodes a 3
base logs image=v1 cpu=100m daemon
head logs image=v2 cpu=100m daemon unavailable=50%
both once image=v1 cpu=500m job parallelism=2 completions=3
both report image=v1 cpu=500m cronjob deadline=60
quota pods=9
events apply=1 drain=1 failures=1 crashes=1 stale=2 overrun=1`, `
nodes a 2
base web replicas=3 image=v1 cpu=500m
head web replicas=3 image=v2 cpu=500m
both api replicas=2 image=v1 cpu=500m
both once image=v1 cpu=500m job parallelism=2 completions=3
queue shop of=web+once cpu=4 cohort=all borrow=2 reclaim=Any ready=1 block no-recovery
queue team of=api cpu=1 cohort=all others=500m within=LowerPriority
events apply=1 drain=1 failures=1`, `
nodes a 3
base web replicas=2 image=v1 cpu=500m
head web replicas=2 image=v2 cpu=500m
both batch replicas=2 image=v1 cpu=500m
both once image=v1 cpu=500m job parallelism=2 completions=3
both many image=v1 cpu=300m job parallelism=2 completions=2
queue shop of=web+batch+once cpu=1500m cohort=all lend=1 within=LowerPriority reclaim=LowerPriority while-borrowing first=web
queue team of=many cpu=1 cohort=all others=500m within=LowerOrNewerEqualPriority reclaim=Any ready=endless
events apply=1 drain=1 failures=1`, `
nodes a 3 zone=a cpu=2
base web image=v1 cpu=500m bare
head web image=v2 cpu=500m bare
both agent image=v1 cpu=1 bare
base gone image=v1 cpu=100m bare
both api replicas=2 image=v1 cpu=1 priority=20
both once image=v1 cpu=500m job parallelism=2 completions=3
pdb web unavailable=1
gitops
events apply=1 drain=1 failures=1 disk=1`, `
nodes a 3 cpu=2
base web replicas=3 image=v1 cpu=500m
head web replicas=3 image=v2 cpu=500m
both api replicas=2 image=v1 cpu=1 priority=20
events apply=1 drain=1 failures=1`,
}
