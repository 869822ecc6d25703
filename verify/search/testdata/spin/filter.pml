/* Peterson's filter lock for N processes. stage: 0 rests, 1 names itself the victim of
 * its level, 2 waits there, 3 is inside. at[l] counts the processes at level l or
 * above: it follows from level, so it adds no state. */
byte level[N], stage[N], victim[N], at[N];

active [N] proctype process() {
	do
	:: d_step { stage[_pid] == 0 -> stage[_pid] = 1; level[_pid] = 1; at[1]++ }
	:: d_step { stage[_pid] == 1 -> stage[_pid] = 2; victim[level[_pid]] = _pid+1 }
	:: d_step { stage[_pid] == 2 && (victim[level[_pid]] != _pid+1 || at[level[_pid]] == 1) ->
		if
		:: level[_pid] < N-1 -> level[_pid]++; at[level[_pid]]++; stage[_pid] = 1
		:: else -> stage[_pid] = 3
		fi }
	:: d_step { stage[_pid] == 3 ->
		stage[_pid] = 0;
		do
		:: level[_pid] > 0 -> at[level[_pid]]--; level[_pid]--
		:: else -> break
		od;
		level[_pid] = 0 }
	od
}
