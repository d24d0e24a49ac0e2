package series

import (
	"io/fs"
	"path"
	"regexp"
)

const cgroups = "sys/fs/cgroup"

var groupPatterns = map[string]*regexp.Regexp{
	"sys/fs/cgroup/cpu": regexp.MustCompile(`(?m)^\d+:(?:[^:]*,)?cpu(?:,[^:]*)?:(/.*)$`), // version 1
	"sys/fs/cgroup":     regexp.MustCompile(`(?m)^0::(/.*)$`),                            // version 2
}

// cpuGroup returns the folder of the control group that limits this process's cores, or "" without such a limit.
// In a container, /proc may name the group by its path on the node although it is mounted as the container's
// root.
func cpuGroup(root fs.FS) string {
	groups, _ := fs.ReadFile(root, "proc/self/cgroup")
	for _, mount := range []string{"sys/fs/cgroup/cpu", "sys/fs/cgroup"} {
		match := groupPatterns[mount].FindSubmatch(groups)
		if match == nil {
			continue
		}
		for _, folder := range []string{path.Join(mount, string(match[1])), mount} {
			if _, err := fs.Stat(root, path.Join(folder, "cpu.stat")); err == nil {
				return folder
			}
		}
	}
	return ""
}
