/* The towers of Hanoi with N discs, 0 the smallest: 3^N states. TOP(p) is the smallest
 * disc on peg p plus 1, or N+1; it follows from peg, and is stored so that it starts
 * at 0. */
byte peg[N], top[3], i, old;
#define TOP(p) (p == 0 -> top[p]+1 : N+1-top[p])
#define SET(p, v) top[p] = (p == 0 -> (v)-1 : N+1-(v))
#define GO(t) d_step { peg[_pid] != t && TOP(peg[_pid]) == _pid+1 && TOP(t) > _pid+1 -> \
		old = peg[_pid]; peg[_pid] = t; \
		SET(t, _pid+1); i = _pid+1; \
		do :: i < N && peg[i] != old -> i++ :: else -> break od; \
		SET(old, i+1); old = 0; i = 0 }

active [N] proctype disc() {
	do
	:: GO(0)
	:: GO(1)
	:: GO(2)
	od
}
