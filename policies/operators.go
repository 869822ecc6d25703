package policies

import (
	"embed"
	"sync"
)

//go:embed operators/*.yaml
var operatorFiles embed.FS

// Operators are what well-known operators make of their custom resources, in the order of their files: policies in the
// form of a user's, which may be copied and changed.
var Operators = sync.OnceValue(func() []OwnController {
	list, err := operatorFiles.ReadDir("operators")
	if err != nil {
		panic("policies: " + err.Error())
	}
	var out []OwnController
	for _, f := range list {
		data, err := operatorFiles.ReadFile("operators/" + f.Name())
		if err == nil {
			p, d := Default(), newDecoder()
			p.File, d.file, d.shipped = "operators/"+f.Name(), "operators/"+f.Name(), true
			if err = p.read(d, data); err == nil {
				for _, o := range p.Controllers.Own {
					o.Known = true
					out = append(out, o)
				}
			}
		}
		if err != nil {
			panic("policies: " + err.Error())
		}
	}
	return out
})
