/*
 * IBOC-refinement, Fig. 7: two cycles that do not meet, and a third that joins them.
 *
 * C1 makes silver of gold, C2 makes two pieces of gold of each piece of silver. Together they gain. But they are at
 * different places, and the way there and back (C3) costs a ticket, of which there are two.
 */

mtype = { gold, silver, ticket };

chan purse   = [8] of { mtype };
chan pocket  = [8] of { mtype };
chan tickets = [2] of { mtype };

active proctype Merchant() {
    purse!gold; tickets!ticket; tickets!ticket;
here:
    do
    :: purse?gold -> pocket!silver                          /* C1 */
    :: tickets?ticket -> break                              /* C3: there .. */
    od;
    do
    :: pocket?silver -> purse!gold; purse!gold              /* C2 */
    :: goto here                                            /* .. and back */
    od
}
