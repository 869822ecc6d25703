package static

import (
	"fmt"
	"strings"

	"github.com/kubesettle/kubesettle/policies/rules"
	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/verify/finding"
)

// Unrendered says of a release that the change makes it fail to render: whoever applies it gets an error in the place
// of every object that base has, or that head has without a setting. o is one of these, and at is where head shows the
// mistake.
func Unrendered(release string, o *object.Object, onBase bool, f *object.Failure, at object.Location) Remark {
	why := strings.TrimPrefix(f.Reason, fmt.Sprintf("%s:%d: ", f.Where.File, f.Where.StartLine))
	return Remark{Rule: rules.ApplyRejected, release: release, Object: o, status: finding.New, gone: onBase,
		broken: true, at: at, paths: []string{}, shape: "unrendered", remedies: byHand(f.Remedy),
		text: fmt.Sprintf("nothing of the release is applied, %s neither, as it does not render: %s", o.ID, why)}
}
