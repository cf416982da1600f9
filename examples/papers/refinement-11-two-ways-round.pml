/*
 * IBOC-refinement, Figs. 11 and 12: cycles that need others to be joined.
 *
 * C1 and C2 gain together, as in Fig. 7. They are joined by C5, or by C3 and C4 one after the other (Fig. 11). With
 * `-D TWELVE` there are two ways of two cycles each, C3 and C4, or C5 and C6 (Fig. 12). Some of these cost a ticket. In
 * Fig. 12 those that cost nothing, C3 and C6, do not meet: the paper's short form of the constraint cannot tell.
 */

mtype = { gold, silver, ticket };

chan purse   = [8] of { mtype };
chan pocket  = [8] of { mtype };
chan tickets = [2] of { mtype };

active proctype Merchant() {
    purse!gold; tickets!ticket;

left:                                                       /* C1 is here */
    do
    :: purse?gold -> pocket!silver                          /* C1 */
    :: goto upper                                           /* C3 */
#ifdef TWELVE
    :: tickets?ticket -> goto lower                         /* C5 */
#else
    :: tickets?ticket -> goto right                         /* C5 */
#endif
    od;

upper:
    if
    :: goto left                                            /* C3 */
    :: tickets?ticket -> goto right                         /* C4 */
    fi;

#ifdef TWELVE
lower:
    if
    :: goto left                                            /* C5 */
    :: goto right                                           /* C6 */
    fi;
#endif

right:                                                      /* C2 is here */
    do
    :: pocket?silver -> purse!gold; purse!gold              /* C2 */
    :: goto upper                                           /* C4 */
#ifdef TWELVE
    :: goto lower                                           /* C6 */
#else
    :: goto left                                            /* C5 */
#endif
    od
}
