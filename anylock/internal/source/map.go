package source

// syncMap is what is read instead of the file of sync.Map: each of its methods is one critical section. Range is not followed, since what
// it sees of a map that changes is not one of its states.
const syncMap = `package sync

type Map struct {
	_  noCopy
	mu Mutex
	m  map[any]any
}

func (m *Map) Load(key any) (value any, ok bool) {
	m.mu.Lock()
	value, ok = m.m[key]
	m.mu.Unlock()
	return value, ok
}

func (m *Map) Store(key, value any) { m.Swap(key, value) }

func (m *Map) Clear() {
	m.mu.Lock()
	clear(m.m)
	m.mu.Unlock()
}

func (m *Map) LoadOrStore(key, value any) (actual any, loaded bool) {
	m.mu.Lock()
	if actual, loaded = m.m[key]; !loaded {
		m.set(key, value)
		actual = value
	}
	m.mu.Unlock()
	return actual, loaded
}

func (m *Map) LoadAndDelete(key any) (value any, loaded bool) {
	m.mu.Lock()
	value, loaded = m.m[key]
	delete(m.m, key)
	m.mu.Unlock()
	return value, loaded
}

func (m *Map) Delete(key any) { m.LoadAndDelete(key) }

func (m *Map) Swap(key, value any) (previous any, loaded bool) {
	m.mu.Lock()
	previous, loaded = m.m[key]
	m.set(key, value)
	m.mu.Unlock()
	return previous, loaded
}

func (m *Map) CompareAndSwap(key, old, new any) (swapped bool) {
	m.mu.Lock()
	v, ok := m.m[key]
	if swapped = ok && v == old; swapped {
		m.m[key] = new
	}
	m.mu.Unlock()
	return swapped
}

func (m *Map) CompareAndDelete(key, old any) (deleted bool) {
	m.mu.Lock()
	v, ok := m.m[key]
	if deleted = ok && v == old; deleted {
		delete(m.m, key)
	}
	m.mu.Unlock()
	return deleted
}

func (m *Map) Range(f func(key, value any) bool)

func (m *Map) set(key, value any) {
	if m.m == nil {
		m.m = map[any]any{}
	}
	m.m[key] = value
}
`
