package validation

import (
	"fmt"
	"regexp"
	"strings"
	"time"
	_ "time/tzdata" // the API server has the same zones, wherever it runs

	"github.com/robfig/cron/v3"
	batchv1 "k8s.io/api/batch/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// validateSchedule is validateScheduleFormat; zoned says that a time zone in the schedule is let through, as it was
// there before.
func validateSchedule(spec *batchv1.CronJobSpec, zoned bool, at *field.Path) field.ErrorList {
	var out field.ErrorList
	if err := parseSchedule(spec.Schedule); err != nil {
		out = append(out, field.Invalid(at, spec.Schedule, err.Error()))
	}
	switch inside := strings.Contains(spec.Schedule, "TZ"); {
	case zoned && inside && spec.TimeZone != nil:
		out = append(out, field.Invalid(at, spec.Schedule, "cannot use both timeZone field and TZ or CRON_TZ in schedule"))
	case !zoned && inside:
		out = append(out, field.Invalid(at, spec.Schedule,
			"cannot use TZ or CRON_TZ in schedule, use timeZone field instead"))
	}
	return out
}

// parseSchedule is ParseCronScheduleWithPanicRecovery of k8s.io/kubernetes/pkg/util/parsers: the parser panics on
// schedules such as TZ=0.
func parseSchedule(schedule string) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("invalid schedule format: %v", r)
		}
	}()
	_, err = cron.ParseStandard(schedule)
	return err
}

var timeZonePart = regexp.MustCompile(`^[A-Za-z\.\-_0-9+]{1,14}$`)

// validateTimeZone is its namesake.
func validateTimeZone(zone *string, at *field.Path) field.ErrorList {
	if zone == nil {
		return nil
	}
	if *zone == "" {
		return field.ErrorList{field.Invalid(at, *zone, "timeZone must be nil or non-empty string")}
	}
	for part := range strings.SplitSeq(*zone, "/") {
		if part == "." || part == ".." || strings.HasPrefix(part, "-") || !timeZonePart.MatchString(part) {
			return field.ErrorList{field.Invalid(at, *zone, "unknown time zone "+*zone)}
		}
	}
	var out field.ErrorList
	if strings.EqualFold(*zone, "Local") {
		out = append(out, field.Invalid(at, *zone,
			"timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones"))
	}
	if _, err := time.LoadLocation(*zone); err != nil {
		out = append(out, field.Invalid(at, *zone, err.Error()))
	}
	return out
}
