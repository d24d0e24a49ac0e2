// Package budget is a k6 module (`import { take, taken } from 'k6/x/breakwater'`) that counts what all VUs of a test use
// up together. VUs share nothing else: without it a bound on a whole run would have to be cut into shares beforehand.
//
//	take('probes', 1, 4950) // true while at most 4950 are taken, and one more then is
//	taken('probes')         // how many that were
package budget

import (
	"sync"

	"go.k6.io/k6/v2/js/modules"
)

func init() { modules.Register("k6/x/breakwater", New()) }

// Budgets are counts by name, shared by the VUs of a test.
type Budgets struct {
	mutex sync.Mutex
	taken map[string]int64
}

// New makes budgets of which nothing is taken.
func New() *Budgets { return &Budgets{taken: map[string]int64{}} }

// Take counts so many more, where the count then is at most `most`; else it counts nothing, and answers false.
func (b *Budgets) Take(name string, count, most int64) bool {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	if b.taken[name]+count > most {
		return false
	}
	b.taken[name] += count
	return true
}

// Taken is how many were counted so far.
func (b *Budgets) Taken(name string) int64 {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	return b.taken[name]
}

// NewModuleInstance is called for each VU: all have the same budgets.
func (b *Budgets) NewModuleInstance(modules.VU) modules.Instance { return instance{b} }

type instance struct{ budgets *Budgets }

// Exports are what a script imports.
func (i instance) Exports() modules.Exports {
	return modules.Exports{Named: map[string]any{"take": i.budgets.Take, "taken": i.budgets.Taken}}
}
