package session

import (
	"strings"

	"heretic/runner"
)

// CheckValue returns an error for a value of a profile's key, or of one of the
// settings, that every engine would refuse; value is one element where the key takes a list. Keys that it
// does not know are right.
func CheckValue(path, value string) error {
	var s runner.Spec
	switch path {
	case "detach_keys":
		return runner.CheckDetachKeys(value)
	case "image":
		s.Image = value
	case "extra.ports":
		s.Ports = []string{value}
	case "extra.add_hosts":
		s.AddHosts = []string{value}
	case "extra.dns":
		s.DNS = []string{value}
	case "extra.devices":
		s.Devices = []string{value}
	case "extra.gpus":
		s.GPUs = value
	case "extra.ulimits":
		s.Ulimits = []string{value}
	case "extra.tmpfs":
		target, options, _ := strings.Cut(value, ":")
		s.Tmpfs = map[string]string{target: options}
	case "extra.platform":
		s.Platform = value
	case "extra.memory":
		s.Memory = value
	case "extra.shm_size":
		s.ShmSize = value
	case "extra.cpus":
		s.CPUs = value
	}
	return runner.Check(s)
}

// KeyOf is the key of a profile that a field of a [runner.Spec] comes from.
func KeyOf(field string) string {
	return map[string]string{
		"Network": "extra.network", "Ports": "extra.ports", "DNS": "extra.dns", "AddHosts": "extra.add_hosts",
		"Hostname": "extra.hostname", "GPUs": "extra.gpus", "Devices": "extra.devices", "CapAdd": "extra.capabilities",
		"SecurityOpt": "extra.security_opt", "Memory": "extra.memory", "CPUs": "extra.cpus", "User": "extra.user",
		"Ulimits": "extra.ulimits",
	}[field]
}
