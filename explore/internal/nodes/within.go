package nodes

import "reflect"

// within calls f with v, and with all that is within it: plain data, or the exported fields of
// a node. The path has the names of fields, and [] for an element. If f returns false, it goes
// no deeper there.
func within(path []string, v reflect.Value, f func(path []string, v reflect.Value) bool) {
	if !f(path, v) {
		return
	}
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() {
			within(path, v.Elem(), f)
		}
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			within(append(path, "[]"), v.Index(i), f)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			switch field := v.Type().Field(i); {
			case field.Anonymous && field.Type.Kind() == reflect.Struct:
				within(path, v.Field(i), f)
			case field.IsExported():
				within(append(path, field.Name), v.Field(i), f)
			}
		}
	}
}
