/* Questions are asked without end, and each is answered; a formula with events, over two positions. */
mtype = { question, answer };
chan ask = [2] of { mtype };
chan reply = [2] of { mtype };

active proctype Client() { do :: ask!question :: reply?answer od }
active proctype Server() { do :: ask?question -> reply!answer od }

ltl answered { [] ((ask?question) -> X (reply!answer V !(ask?question))) }
