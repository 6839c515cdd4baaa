package quorum

// A field is the finite field GF(p^m), m > 1: the polynomials in x over GF(p), modulo
// a polynomial of degree m for which the powers of x are all nonzero elements. An
// element is represented by the number whose digits in base p are its coefficients:
// 1 is 1, and x is p.
type field struct {
	p, size   int
	power     []int // power[l] is x^l, 0 <= l < size-1
	logarithm []int // logarithm[e] is the l with x^l = e, for e > 0
}

// newField tries one polynomial of lower degree after another as the value of x^m. If
// there are as many powers of x as nonzero polynomials, each of these has an inverse, so
// it is a field.
func newField(p, m int) field {
	f := field{p: p, size: 1}
	for range m {
		f.size *= p
	}
	for xm := 1; len(f.power) < f.size-1; xm++ {
		if xm%p != 0 { // else x has no inverse
			f.power = f.powers(xm)
		}
	}
	f.logarithm = make([]int, f.size)
	for l, e := range f.power {
		f.logarithm[e] = l
	}
	return f
}

// powers returns 1, x, x² and so on, until 1 would recur, where x^m = xm.
func (f field) powers(xm int) []int {
	multiples := make([]int, f.p) // c·xm, by c
	for c := 1; c < f.p; c++ {
		multiples[c] = f.add(multiples[c-1], xm)
	}
	top := f.size / f.p
	all := []int{1}
	for {
		e := all[len(all)-1]
		next := f.add(e%top*f.p, multiples[e/top])
		if next == 1 {
			return all
		}
		all = append(all, next)
	}
}

// x returns the element whose powers are all nonzero elements.
func (f field) x() int { return f.p }

// add returns a + b: the sums of the coefficients, modulo p.
func (f field) add(a, b int) int {
	sum := 0
	for place := 1; place < f.size; place *= f.p {
		sum += (a/place + b/place) % f.p * place
	}
	return sum
}

// primePower returns the prime p and the m with p^m = k; ok reports whether they exist.
func primePower(k int) (p, m int, ok bool) {
	if k < 2 {
		return 0, 0, false
	}
	p = 2
	for k%p != 0 {
		p++
	}
	for ; k%p == 0; k /= p {
		m++
	}
	return p, m, k == 1
}
