/* A ring of N counters 0..M: each may step up, hand one unit on if there is room, and
 * wrap from M to 0. (M+1)^N states. */
#define NEXT ((_pid+1)%N)
byte c[N];

active [N] proctype counter() {
	do
	:: d_step { c[_pid] < M -> c[_pid]++ }
	:: d_step { c[_pid] > 0 && c[NEXT] < M -> c[_pid]--; c[NEXT]++ }
	:: d_step { c[_pid] == M -> c[_pid] = 0 }
	od
}
