package lecture

import (
	"example.org/doorway/messaging"
	"example.org/doorway/messaging/permission/quorum"
)

// Reiser returns the 13 sets of the example of Maekawa's algorithm in Reiser 2002,
// slide 5.18: a projective plane of order 3, like quorum.Plane(13), but with the
// numbering of the lecture, except that nodes are numbered from 0 here and from 1
// there.
func Reiser() quorum.System {
	s, err := quorum.Sets([][]messaging.ID{
		{0, 1, 2, 3},
		{1, 4, 7, 10},
		{2, 5, 7, 12},
		{3, 5, 9, 10},
		{0, 4, 5, 6},
		{1, 5, 8, 11},
		{1, 6, 9, 12},
		{0, 7, 8, 9},
		{2, 6, 8, 10},
		{2, 4, 9, 11},
		{0, 10, 11, 12},
		{3, 6, 7, 11},
		{3, 4, 8, 12},
	})
	if err != nil {
		panic(err)
	}
	return s
}
