// Lets the compiler accept the functions without bodies in loops_linkname_test.go.
