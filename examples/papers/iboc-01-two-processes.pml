/*
 * IBOC, Fig. 1 and Fig. 11: the model "2-Proctype".
 *
 * The right side starts with two permits `c`. The left side pays one permit for each batch that it sends, the right side
 * gives one back for a pair of `a` and `b`. A batch on the way round s2, s3 is worth four `a` and one `b` for two permits,
 * so it is the scarce `b` that limits the system. By hand this is not easy to see.
 */

mtype = { c, b, a };

chan AB = [25] of { mtype };
chan BA = [25] of { mtype };

active proctype Left() {
    if
    :: BA?c -> AB!b; AB!b; goto s2
    :: BA?c -> AB!b; AB!b; AB!b; AB!b; AB!b; goto s3
    fi;
s2:
    BA?c; AB!a; AB!a; AB!b;
s3:
    BA?c; AB!a; AB!a;
    goto s2
}

active proctype Right() {
    BA!c; BA!c;
    do
    :: AB?a; AB?b; BA!c
    od
}
