package actor

import "slices"

func AppendNew(list []Ref, more ...Ref) []Ref {
	for _, r := range more {
		if !slices.Contains(list, r) {
			list = append(list, r)
		}
	}
	return list
}
