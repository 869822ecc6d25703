/* N dining philosophers, left fork first: 0 thinks, 1 holds the left fork, 2 eats. */
#define LEFT ((_pid+N-1)%N)
#define RIGHT ((_pid+1)%N)
byte s[N];

active [N] proctype philosopher() {
	do
	:: d_step { s[_pid] == 0 && s[LEFT] != 2 -> s[_pid] = 1 }
	:: d_step { s[_pid] == 1 && s[RIGHT] == 0 -> s[_pid] = 2 }
	:: d_step { s[_pid] == 2 -> s[_pid] = 0 }
	od
}
