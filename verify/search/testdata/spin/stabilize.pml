/* Dijkstra's self-stabilizing token ring of N machines with K values. Machine i starts
 * at value 2*i mod K: V shifts what is stored, which starts at 0. */
#define V(i) ((x[i]+2*(i))%K)
byte x[N];

active [N] proctype machine() {
	do
	:: d_step { _pid == 0 && V(0) == V(N-1) -> x[0] = (x[0]+1)%K }
	:: d_step { _pid > 0 && V(_pid) != V((_pid+N-1)%N) -> x[_pid] = (V((_pid+N-1)%N) + 2*N*K - 2*_pid)%K }
	od
}
