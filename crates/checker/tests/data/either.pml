/* A client asks left or right, waits for an answer from either, and then asks the other. That the wrong one never answers is
   proved by weights only where it is known whom the client asked last. */
chan left = [1] of { bit };
chan right = [1] of { bit };
chan back = [1] of { byte };

active proctype Client() {
    do
    :: if
       :: left!1
       :: right!1
       fi;
       if
       :: back?1 -> right!1; if :: back?2 :: back?1 -> wrong_left: skip fi
       :: back?2 -> left!1; if :: back?1 :: back?2 -> wrong_right: skip fi
       fi
    od
}

active proctype Left() { do :: left?_ -> back!1 od }
active proctype Right() { do :: right?_ -> back!2 od }

ltl asked { [] !(Client@wrong_left || Client@wrong_right) }
