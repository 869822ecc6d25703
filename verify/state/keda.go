package state

// KEDA is what a ScaledObject (keda.sh/v1alpha1) does beside the HorizontalPodAutoscaler that
// stands for it.
type KEDA struct {
	Name string
	// ToZero says that it takes the last pods away while there is no load, and gives the
	// first one back.
	ToZero bool
	// Err says what cannot be read, or is not modeled.
	Err error
}
