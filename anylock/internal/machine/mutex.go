package machine

// promised are what sync.Mutex promises, not how it keeps that: whoever waits may get it next. They stand for its
// code where that is not what is checked.
var promised = map[string]native{
	"(*sync.Mutex).Lock": visible(func(m *Machine, a, _ []uint64) signal {
		if a[0] != 0 && m.objects[a[0]>>32].w[uint32(a[0])] != 0 {
			m.reading(a[0], 1)
			m.mutex(a[0], "wait for", 1)
			return blocked
		}
		return m.mutex(a[0], "lock", 1)
	}),
	"(*sync.Mutex).TryLock": visible(func(m *Machine, a, r []uint64) signal {
		if a[0] != 0 {
			m.reading(a[0], 1)
		}
		if a[0] == 0 || m.objects[a[0]>>32].w[uint32(a[0])] != 0 {
			r[0] = 0
			return m.mutex(a[0], "fail to lock", 1)
		}
		what, to := "lock", uint64(1)
		if m.choose(2) != 0 { // as if another tried at the same time
			what, to = "fail to lock, though it is free,", 0
		}
		r[0] = to
		sig := m.mutex(a[0], what, to)
		m.Did.Both = true
		return sig
	}),
	"(*sync.Mutex).Unlock": visible(func(m *Machine, a, _ []uint64) signal {
		if a[0] != 0 && m.objects[a[0]>>32].w[uint32(a[0])] == 0 {
			m.reading(a[0], 1)
			return m.fail("fatal error: sync: unlock of unlocked mutex")
		}
		return m.mutex(a[0], "unlock", 0)
	}),
}

// mutex sets the word of a mutex.
func (m *Machine) mutex(at ptr, what string, to uint64) signal {
	if at == 0 {
		return m.nilPointer()
	}
	m.changes(what, at)
	m.Did.New, m.Did.Reads = to, false
	m.objects[at>>32].w[uint32(at)] = to
	return done
}
