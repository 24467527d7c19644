package profile

import (
	"os"
	"path"
	"path/filepath"

	"heretic/mcpconf"
)

// passed are the host's variables that every container gets: what the terminal
// can do, the language, the time zone.
func passed() []string { return []string{"TERM", "COLORTERM", "LANG", "TZ"} }

// bundles are the variables that name a file of CA certificates, for hosts
// whose TLS is intercepted.
func bundles() []string {
	return []string{"SSL_CERT_FILE", "NODE_EXTRA_CA_CERTS", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "GIT_SSL_CAINFO", "AWS_CA_BUNDLE", "PIP_CERT"}
}

// bundleDir is where those files are in the container.
const bundleDir = "/run/heretic/ca"

// hostEnv sets what the container gets of the host unless the profile says
// otherwise.
func (r *resolver) hostEnv() {
	from := Origin{Layer: "environment"}
	for _, name := range passed() {
		if v, ok := r.host(name); ok && v != "" && (name != "TERM" || r.out.Profile.TTY) {
			r.setEnv(EnvVar{Name: name, Value: v, Origin: from})
		}
	}
	mounted := map[string]string{} // target of each file
	for _, name := range bundles() {
		file, ok := r.host(name)
		if _, own := r.m.Get("env." + name); !ok || file == "" || own {
			continue
		}
		if info, err := os.Stat(file); err != nil || !info.Mode().IsRegular() || !filepath.IsAbs(file) {
			r.out.Notes = append(r.out.Notes, mcpconf.Note{Field: "env." + name, Text: name + " is set and names no file; it is not passed"})
			continue
		}
		target, ok := mounted[file]
		if !ok {
			target = path.Join(bundleDir, name+".pem")
			mounted[file] = target
			v := Volume{Source: file, Target: target, ReadOnly: true, Origin: from}
			r.out.Profile.Volumes = append(r.out.Profile.Volumes, v)
			r.origin("volumes", v.String(), false, from)
		}
		r.setEnv(EnvVar{Name: name, Value: target, Origin: from})
	}
}
