//go:build !unix

package series

func ownUsage() rusage { return noUsage }
