package runner

import (
	"errors"
	"reflect"
	"testing"
)

// What engines say, as they said it.
func TestRefused(t *testing.T) {
	for _, row := range refusalTexts() {
		if _, ok := reflect.TypeFor[Spec]().FieldByName(row.field); !ok {
			t.Errorf("a Spec has no %s", row.field)
		}
	}
	for _, tt := range []struct{ text, field string }{
		{`invalid CapAdd: unknown capability: "CAP_NOPE"`, "CapAdd"},
		{`container create: "CAP_NOPE": unknown capability`, "CapAdd"}, // Podman
		{`network nope not found`, "Network"},
		{`failed to set up container networking: network nope not found`, "Network"},
		{`container create: unable to find network with name or ID nope: network not found`, "Network"},
		{`failed to set up container networking: iptables: not found`, ""},
		{`driver failed programming external connectivity on endpoint x: Bind for 0.0.0.0:80 failed: port is already allocated`, "Ports"},
		{`rootlessport listen tcp 0.0.0.0:80: bind: address already in use`, "Ports"},
		{`conflicting options: port publishing and the container type network mode`, "Ports"},
		{`invalid --security-opt 1: "nope"`, "SecurityOpt"},
		{`fill out specgen: invalid --security-opt 1: "nope"`, "SecurityOpt"},
		{`unable to find user nope: no matching entries in passwd file`, "User"},
		{`unable to find group nope: no matching entries in group file`, "User"},
		{`Minimum memory limit allowed is 6MB`, "Memory"},
		{`Range of CPUs is from 0.01 to 2.00, as there are only 2 CPUs available`, "CPUs"},
		{`error gathering device information while adding custom device "/dev/nope": no such file or directory`, "Devices"},
		{`container create: stat /dev/nope: no such file or directory`, "Devices"},
		{`could not select device driver "" with capabilities: [[gpu]]`, "GPUs"},
		{`error setting rlimits for ready process: error setting rlimit type 7: operation not permitted`, "Ulimits"},
		{`no space left on device`, ""},
	} {
		got := ""
		if r := refused(errors.New(tt.text)); r != nil {
			got = r.Field
		}
		if got != tt.field {
			t.Errorf("%q is about %q, want %q", tt.text, got, tt.field)
		}
	}
}
