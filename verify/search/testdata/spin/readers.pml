/* N processes read or write; a waiting writer keeps new readers out. 0 rests, 1 reads,
 * 2 waits to write, 3 writes. The counts follow from s. */
byte s[N], reading, waiting, writing;

active [N] proctype process() {
	do
	:: d_step { s[_pid] == 0 && writing == 0 && waiting == 0 -> s[_pid] = 1; reading++ }
	:: d_step { s[_pid] == 1 -> s[_pid] = 0; reading-- }
	:: d_step { s[_pid] == 0 -> s[_pid] = 2; waiting++ }
	:: d_step { s[_pid] == 2 && reading == 0 && writing == 0 -> s[_pid] = 3; waiting--; writing++ }
	:: d_step { s[_pid] == 3 -> s[_pid] = 0; writing-- }
	od
}
