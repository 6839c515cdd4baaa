package hook

// Decimal returns n in decimal notation. It is here so that a program that has a lock need not
// link strconv.
func Decimal(n int) string {
	switch {
	case n < -9:
		return Decimal(n/10) + Decimal(-(n % 10))
	case n < 0:
		return "-" + Decimal(-n)
	case n > 9:
		return Decimal(n/10) + Decimal(n%10)
	}
	return string(rune('0' + n))
}
