// Lets the compiler accept the functions without bodies in linkname_test.go.
