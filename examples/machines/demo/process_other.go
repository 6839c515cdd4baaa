//go:build !unix

package main

import "errors"

const stops = false

func (p *process) stop() error { return errors.ErrUnsupported }
func (p *process) cont() error { return errors.ErrUnsupported }
