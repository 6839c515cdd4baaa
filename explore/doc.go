// Package explore checks locks, over every interleaving of their processes.
package explore
