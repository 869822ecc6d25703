/* Two-phase commit with N resource managers (Gray and Lamport). rm: 0 works, 1 is
 * prepared, 2 committed, 3 aborted; tm: 0 decides, 1 committed, 2 aborted. sent and
 * heard are the messages "prepared"; all counts heard. */
byte rm[N], tm, all;
bool sent[N], heard[N];

active [N] proctype process() {
	do
	:: d_step { tm == 0 && sent[_pid] && !heard[_pid] -> heard[_pid] = 1; all++ }
	:: d_step { rm[_pid] == 0 -> rm[_pid] = 1; sent[_pid] = 1 }
	:: d_step { rm[_pid] == 0 -> rm[_pid] = 3 }
	:: d_step { tm == 1 && rm[_pid] != 2 -> rm[_pid] = 2 }
	:: d_step { tm == 2 && rm[_pid] != 3 -> rm[_pid] = 3 }
	:: d_step { _pid == 0 && tm == 0 && all == N -> tm = 1 }
	:: d_step { _pid == 0 && tm == 0 -> tm = 2 }
	od
}
