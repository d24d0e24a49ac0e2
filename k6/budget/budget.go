// Package budget is a k6 module (`import { take, taken } from 'k6/x/breakwater'`) with counters that all VUs of a
// test share. k6 offers no other shared state: without it, a limit on a whole run would have to be split beforehand.
//
//	take('probes', 1, 4950) // true if at most 4950 are taken afterwards
//	taken('probes')         // the number taken so far
package budget

import (
	"sync"

	"go.k6.io/k6/v2/js/modules"
)

func init() { modules.Register("k6/x/breakwater", New()) }

// Budgets are named counters shared by all VUs of a test.
type Budgets struct {
	mutex sync.Mutex
	taken map[string]int64
}

func New() *Budgets { return &Budgets{taken: map[string]int64{}} }

// Take adds count to a name and returns true if the sum stays within most; otherwise it adds nothing and
// returns false.
func (b *Budgets) Take(name string, count, most int64) bool {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	if b.taken[name]+count > most {
		return false
	}
	b.taken[name] += count
	return true
}

func (b *Budgets) Taken(name string) int64 {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	return b.taken[name]
}

// NewModuleInstance gives each VU the same budgets.
func (b *Budgets) NewModuleInstance(modules.VU) modules.Instance { return instance{b} }

type instance struct{ budgets *Budgets }

// Exports are what a script imports.
func (i instance) Exports() modules.Exports {
	return modules.Exports{Named: map[string]any{"take": i.budgets.Take, "taken": i.budgets.Taken}}
}
