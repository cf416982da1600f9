/*
 * A producer that never waits to be asked, and what becomes of it under three readings of a capacity.
 *
 * The sensor sends one sample after the other; the logger stores each before it takes the next. Nothing
 * tells the sensor to slow down, except that its channel is full after three samples.
 *
 * --channels declared    a full channel blocks the sensor, and no sample is lost
 * --channels drop        a full channel loses the sample, and the logger sees a gap
 * --channels unbounded   the sensor is never blocked, the queue grows without end, and a search
 *                        through all states cannot come to one
 */

#define NUMBERS 4                           /* samples are numbered modulo this */

mtype = { sample };

chan samples = [3] of { mtype, byte };

active proctype Sensor() {
    byte number;

    do
    :: samples!sample(number);
        number = (number + 1) % NUMBERS
    od
}

active proctype Logger() {
    byte number, expected;
    bool stored;

    do
    :: samples?sample(number);
        assert(number == expected);         /* no gap */
        expected = (expected + 1) % NUMBERS;
        stored = true;                      /* writes it down, which takes its time */
        stored = false
    od
}
