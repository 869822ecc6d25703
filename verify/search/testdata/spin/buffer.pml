/* Two producers and two consumers share a queue of N places; i is 0 between steps. */
byte q[N], n, got[4], i;

active [4] proctype process() {
	do
	:: d_step { _pid < 2 && n < N -> q[n] = _pid+1; n++ }
	:: d_step { _pid >= 2 && got[_pid] == 0 && n > 0 ->
		got[_pid] = q[0];
		i = 0;
		do
		:: i+1 < n -> q[i] = q[i+1]; i++
		:: else -> break
		od;
		n--; q[n] = 0; i = 0 }
	:: d_step { _pid >= 2 && got[_pid] != 0 -> got[_pid] = 0 }
	od
}
