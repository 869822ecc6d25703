package defaults

import (
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/util/intstr"
	resourcehelper "k8s.io/component-helpers/resource"
)

// podTemplate is what SetObjectDefaults_Deployment and its like do to spec.template.
func podTemplate(t *corev1.PodTemplateSpec) { podSpec(&t.Spec) }

func podSpec(s *corev1.PodSpec) {
	PodSpec(s)
	for i := range s.Volumes {
		Volume(&s.Volumes[i])
	}
	for i := range s.InitContainers {
		container(&s.InitContainers[i])
	}
	for i := range s.Containers {
		container(&s.Containers[i])
	}
	for i := range s.EphemeralContainers {
		container((*corev1.Container)(&s.EphemeralContainers[i].EphemeralContainerCommon))
	}
	ResourceList(s.Overhead)
	if s.Resources != nil {
		ResourceList(s.Resources.Limits)
		ResourceList(s.Resources.Requests)
	}
}

// PodSpec is SetDefaults_PodSpec of core/v1.
func PodSpec(s *corev1.PodSpec) {
	if s.DNSPolicy == "" {
		s.DNSPolicy = corev1.DNSClusterFirst
	}
	if s.RestartPolicy == "" {
		s.RestartPolicy = corev1.RestartPolicyAlways
	}
	if s.SecurityContext == nil {
		s.SecurityContext = &corev1.PodSecurityContext{}
	}
	if s.TerminationGracePeriodSeconds == nil {
		s.TerminationGracePeriodSeconds = ptr(int64(corev1.DefaultTerminationGracePeriodSeconds))
	}
	if s.SchedulerName == "" {
		s.SchedulerName = corev1.DefaultSchedulerName
	}
}

// Pod is SetDefaults_Pod of core/v1. It is for pods alone, not for templates: the API
// server runs it on the pods that a controller creates.
func Pod(p *corev1.Pod) {
	for _, list := range [][]corev1.Container{p.Spec.Containers, p.Spec.InitContainers} {
		for i := range list {
			r := &list[i].Resources
			if r.Limits != nil && r.Requests == nil {
				r.Requests = corev1.ResourceList{}
			}
			copyMissing(r.Requests, r.Limits)
		}
	}
	podLevelResources(p)
	if p.Spec.EnableServiceLinks == nil {
		p.Spec.EnableServiceLinks = ptr(corev1.DefaultEnableServiceLinks)
	}
	if p.Spec.HostNetwork { // defaultHostNetworkPorts
		for _, list := range [][]corev1.Container{p.Spec.Containers, p.Spec.InitContainers} {
			for i := range list {
				for j := range list[i].Ports {
					if list[i].Ports[j].HostPort == 0 {
						list[i].Ports[j].HostPort = list[i].Ports[j].ContainerPort
					}
				}
			}
		}
	}
}

// podLevelResources is defaultHugePagePodLimits and defaultPodRequests of core/v1.
func podLevelResources(p *corev1.Pod) {
	r := p.Spec.Resources
	if r == nil || len(r.Limits)+len(r.Requests) == 0 {
		return
	}
	limits := r.Limits.DeepCopy()
	if limits == nil {
		limits = corev1.ResourceList{}
	}
	for name, q := range resourcehelper.AggregateContainerLimits(p, resourcehelper.PodResourcesOptions{}) {
		_, requested := r.Requests[name]
		_, limited := limits[name]
		if resourcehelper.IsSupportedPodLevelResource(name) && isHugePage(name) && !requested && !limited {
			limits[name] = q.DeepCopy()
		}
	}
	if len(limits) > 0 {
		r.Limits = limits
	}
	if len(r.Limits) == 0 {
		return
	}
	requests := r.Requests.DeepCopy()
	if requests == nil {
		requests = corev1.ResourceList{}
	}
	for name, q := range resourcehelper.AggregateContainerRequests(p, resourcehelper.PodResourcesOptions{}) {
		if _, ok := requests[name]; !ok && resourcehelper.IsSupportedPodLevelResource(name) && !isHugePage(name) {
			requests[name] = q.DeepCopy()
		}
	}
	for name, q := range r.Limits {
		if _, ok := requests[name]; !ok && resourcehelper.IsSupportedPodLevelResource(name) {
			requests[name] = q.DeepCopy()
		}
	}
	if len(requests) > 0 {
		r.Requests = requests
	}
}

func isHugePage(name corev1.ResourceName) bool {
	return strings.HasPrefix(string(name), corev1.ResourceHugePagesPrefix)
}

// container is the part of SetObjectDefaults_Deployment that loops over containers.
func container(c *corev1.Container) {
	Container(c)
	for i := range c.Ports {
		if c.Ports[i].Protocol == "" {
			c.Ports[i].Protocol = corev1.ProtocolTCP
		}
	}
	for i := range c.Env {
		if f := c.Env[i].ValueFrom; f != nil {
			ObjectFieldSelector(f.FieldRef)
			if f.FileKeyRef != nil && f.FileKeyRef.Optional == nil {
				f.FileKeyRef.Optional = ptr(false)
			}
		}
	}
	ResourceList(c.Resources.Limits)
	ResourceList(c.Resources.Requests)
	for _, p := range []*corev1.Probe{c.LivenessProbe, c.ReadinessProbe, c.StartupProbe} {
		if p == nil {
			continue
		}
		Probe(p)
		HTTPGetAction(p.HTTPGet)
		if p.GRPC != nil && p.GRPC.Service == nil {
			p.GRPC.Service = ptr("")
		}
	}
	if c.Lifecycle != nil {
		for _, h := range []*corev1.LifecycleHandler{c.Lifecycle.PostStart, c.Lifecycle.PreStop} {
			if h != nil {
				HTTPGetAction(h.HTTPGet)
			}
		}
	}
}

// Container is SetDefaults_Container of core/v1.
func Container(c *corev1.Container) {
	if c.ImagePullPolicy == "" {
		c.ImagePullPolicy = PullPolicy(c.Image)
	}
	if c.TerminationMessagePath == "" {
		c.TerminationMessagePath = corev1.TerminationMessagePathDefault
	}
	if c.TerminationMessagePolicy == "" {
		c.TerminationMessagePolicy = corev1.TerminationMessageReadFile
	}
}

// PullPolicy is Always for the tag latest, which an image without tag and digest has
// (parsers.ParseImageName); a name that is no reference has none.
func PullPolicy(image string) corev1.PullPolicy {
	name, digest, _ := strings.Cut(image[strings.LastIndexByte(image, '/')+1:], "@")
	name, tag, tagged := strings.Cut(name, ":")
	if name == "" || name != strings.ToLower(name) {
		return corev1.PullIfNotPresent
	}
	if tag == "latest" || (!tagged && digest == "") {
		return corev1.PullAlways
	}
	return corev1.PullIfNotPresent
}

// Probe is SetDefaults_Probe of core/v1.
func Probe(p *corev1.Probe) {
	orOne(&p.TimeoutSeconds, 1)
	orOne(&p.PeriodSeconds, 10)
	orOne(&p.SuccessThreshold, 1)
	orOne(&p.FailureThreshold, 3)
}

func orOne(field *int32, value int32) {
	if *field == 0 {
		*field = value
	}
}

// HTTPGetAction is SetDefaults_HTTPGetAction of core/v1; nil stays nil.
func HTTPGetAction(a *corev1.HTTPGetAction) {
	if a == nil {
		return
	}
	if a.Path == "" {
		a.Path = "/"
	}
	if a.Scheme == "" {
		a.Scheme = corev1.URISchemeHTTP
	}
}

// ObjectFieldSelector is SetDefaults_ObjectFieldSelector of core/v1; nil stays nil.
func ObjectFieldSelector(s *corev1.ObjectFieldSelector) {
	if s != nil && s.APIVersion == "" {
		s.APIVersion = "v1"
	}
}

// Service is SetDefaults_Service of core/v1.
func Service(s *corev1.Service) {
	if s.Spec.SessionAffinity == "" {
		s.Spec.SessionAffinity = corev1.ServiceAffinityNone
	}
	switch c := s.Spec.SessionAffinityConfig; {
	case s.Spec.SessionAffinity == corev1.ServiceAffinityNone:
		s.Spec.SessionAffinityConfig = nil
	case s.Spec.SessionAffinity == corev1.ServiceAffinityClientIP &&
		(c == nil || c.ClientIP == nil || c.ClientIP.TimeoutSeconds == nil):
		s.Spec.SessionAffinityConfig = &corev1.SessionAffinityConfig{
			ClientIP: &corev1.ClientIPConfig{TimeoutSeconds: ptr(corev1.DefaultClientIPServiceAffinitySeconds)},
		}
	}
	if s.Spec.Type == "" {
		s.Spec.Type = corev1.ServiceTypeClusterIP
	}
	for i := range s.Spec.Ports {
		p := &s.Spec.Ports[i]
		if p.Protocol == "" {
			p.Protocol = corev1.ProtocolTCP
		}
		if p.TargetPort == intstr.FromInt32(0) || p.TargetPort == intstr.FromString("") {
			p.TargetPort = intstr.FromInt32(p.Port)
		}
	}
	external := s.Spec.Type == corev1.ServiceTypeLoadBalancer || s.Spec.Type == corev1.ServiceTypeNodePort ||
		(s.Spec.Type == corev1.ServiceTypeClusterIP && len(s.Spec.ExternalIPs) > 0) // service.ExternallyAccessible
	if external && s.Spec.ExternalTrafficPolicy == "" {
		s.Spec.ExternalTrafficPolicy = corev1.ServiceExternalTrafficPolicyCluster
	}
	switch s.Spec.Type {
	case corev1.ServiceTypeNodePort, corev1.ServiceTypeLoadBalancer, corev1.ServiceTypeClusterIP:
		if s.Spec.InternalTrafficPolicy == nil {
			s.Spec.InternalTrafficPolicy = ptr(corev1.ServiceInternalTrafficPolicyCluster)
		}
	}
	if s.Spec.Type == corev1.ServiceTypeLoadBalancer && s.Spec.AllocateLoadBalancerNodePorts == nil {
		s.Spec.AllocateLoadBalancerNodePorts = ptr(true)
	}
}

// Namespace is SetDefaults_Namespace and SetDefaults_NamespaceStatus of core/v1.
func Namespace(n *corev1.Namespace) {
	if n.Name != "" {
		if n.Labels == nil {
			n.Labels = map[string]string{}
		}
		n.Labels[corev1.LabelMetadataName] = n.Name
	}
	if n.Status.Phase == "" {
		n.Status.Phase = corev1.NamespaceActive
	}
}

// NodeStatus is SetDefaults_NodeStatus of core/v1.
func NodeStatus(s *corev1.NodeStatus) {
	if s.Allocatable == nil && s.Capacity != nil {
		s.Allocatable = s.Capacity.DeepCopy()
	}
	ResourceList(s.Capacity)
	ResourceList(s.Allocatable)
}

// LimitRangeItem is SetDefaults_LimitRangeItem of core/v1.
func LimitRangeItem(l *corev1.LimitRangeItem) {
	if l.Type == corev1.LimitTypeContainer {
		if l.Default == nil {
			l.Default = corev1.ResourceList{}
		}
		if l.DefaultRequest == nil {
			l.DefaultRequest = corev1.ResourceList{}
		}
		copyMissing(l.Default, l.Max)
		copyMissing(l.DefaultRequest, l.Default)
		copyMissing(l.DefaultRequest, l.Min)
	}
	for _, r := range []corev1.ResourceList{l.Max, l.Min, l.Default, l.DefaultRequest, l.MaxLimitRequestRatio} {
		ResourceList(r)
	}
}

func copyMissing(to, from corev1.ResourceList) {
	for name, q := range from {
		if _, ok := to[name]; !ok {
			to[name] = q.DeepCopy()
		}
	}
}

// ResourceList is SetDefaults_ResourceList of core/v1: quantities finer than a
// thousandth are rounded up.
func ResourceList(l corev1.ResourceList) {
	for name, q := range l {
		q.RoundUp(resource.Milli)
		l[name] = q
	}
}
