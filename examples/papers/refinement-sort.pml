/*
 * IBOC-refinement, section 7: eight processes sort seven numbers.
 *
 * The model is in the spirit of the one that comes with SPIN. A source sends the numbers into a row of cells. A cell keeps
 * the smallest number that it has seen and hands on the others, so the last number to arrive at the sink is the largest.
 */

#define COUNT 7

chan belt[COUNT] = [10] of { byte };

proctype Source(chan right) {
    byte sent = 0, number = 15;

    do
    :: sent < COUNT ->
        right!number;
        number = (number * 3 + 14) % 100;
        sent++
    :: else -> break
    od
}

proctype Cell(chan left; chan right; byte expected) {
    byte smallest, next;

    left?smallest;
    do
    :: expected > 0 ->
        left?next;
        if
        :: next < smallest -> right!smallest; smallest = next
        :: else -> right!next
        fi;
        expected--
    :: else -> break
    od
}

proctype Sink(chan left) {
    byte largest;

    left?largest
}

init {
    byte cell = 1;

    atomic {
        run Source(belt[0]);
        do
        :: cell < COUNT -> run Cell(belt[cell - 1], belt[cell], COUNT - cell); cell++
        :: else -> break
        od;
        run Sink(belt[COUNT - 1])
    }
}
