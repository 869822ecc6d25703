package state

import (
	"slices"
	"testing"
)

func TestNodeKeys(t *testing.T) {
	d := Descheduler{NodeSelector: "pool=web,zone in (a,b)", Profiles: []DeschedulerProfile{
		{Evictor: DefaultEvictor{NodeSelector: "!old"}}, {}, {Evictor: DefaultEvictor{NodeSelector: "pool"}},
	}}
	if got, want := d.NodeKeys(), []string{"old", "pool", "zone"}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}
