/* Chang and Roberts' leader election on a ring of N nodes; the channel to a node holds
 * one message. */
#define NEXT ((_pid+1)%N)
#define ID (_pid+1)
byte inbox[N], leader;
bool sent[N];

active [N] proctype node() {
	do
	:: d_step { !sent[_pid] && inbox[NEXT] == 0 -> inbox[NEXT] = ID; sent[_pid] = 1 }
	:: d_step { inbox[_pid] > ID && inbox[NEXT] == 0 -> inbox[NEXT] = inbox[_pid]; inbox[_pid] = 0 }
	:: d_step { inbox[_pid] > 0 && inbox[_pid] < ID -> inbox[_pid] = 0 }
	:: d_step { inbox[_pid] == ID -> inbox[_pid] = 0; leader = ID }
	od
}
