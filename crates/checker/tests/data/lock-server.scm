// A lock server with 8 clients; channel 0 is its mailbox, channel i leads to client i.
scm lock_server :
nb_channels = 9 ;
parameters :
int r1 ;
int e1 ;
int r2 ;
int e2 ;
int r3 ;
int e3 ;
int r4 ;
int e4 ;
int r5 ;
int e5 ;
int r6 ;
int e6 ;
int r7 ;
int e7 ;
int r8 ;
int e8 ;
int g ;
int d ;

automaton server :
initial : 0
state 0 :
to 1 : when true , 0 ? r1 ;
to 2 : when true , 0 ? r2 ;
to 3 : when true , 0 ? r3 ;
to 4 : when true , 0 ? r4 ;
to 5 : when true , 0 ? r5 ;
to 6 : when true , 0 ? r6 ;
to 7 : when true , 0 ? r7 ;
to 8 : when true , 0 ? r8 ;
state 1 :
to 9 : when true , 1 ! g ;
state 9 :
to 0 : when true , 0 ? e1 ;
to 18 : when true , 0 ? r2 ;
to 19 : when true , 0 ? r3 ;
to 20 : when true , 0 ? r4 ;
to 21 : when true , 0 ? r5 ;
to 22 : when true , 0 ? r6 ;
to 23 : when true , 0 ? r7 ;
to 24 : when true , 0 ? r8 ;
state 18 :
to 9 : when true , 2 ! d ;
state 19 :
to 9 : when true , 3 ! d ;
state 20 :
to 9 : when true , 4 ! d ;
state 21 :
to 9 : when true , 5 ! d ;
state 22 :
to 9 : when true , 6 ! d ;
state 23 :
to 9 : when true , 7 ! d ;
state 24 :
to 9 : when true , 8 ! d ;
state 2 :
to 10 : when true , 2 ! g ;
state 10 :
to 0 : when true , 0 ? e2 ;
to 25 : when true , 0 ? r1 ;
to 27 : when true , 0 ? r3 ;
to 28 : when true , 0 ? r4 ;
to 29 : when true , 0 ? r5 ;
to 30 : when true , 0 ? r6 ;
to 31 : when true , 0 ? r7 ;
to 32 : when true , 0 ? r8 ;
state 25 :
to 10 : when true , 1 ! d ;
state 27 :
to 10 : when true , 3 ! d ;
state 28 :
to 10 : when true , 4 ! d ;
state 29 :
to 10 : when true , 5 ! d ;
state 30 :
to 10 : when true , 6 ! d ;
state 31 :
to 10 : when true , 7 ! d ;
state 32 :
to 10 : when true , 8 ! d ;
state 3 :
to 11 : when true , 3 ! g ;
state 11 :
to 0 : when true , 0 ? e3 ;
to 33 : when true , 0 ? r1 ;
to 34 : when true , 0 ? r2 ;
to 36 : when true , 0 ? r4 ;
to 37 : when true , 0 ? r5 ;
to 38 : when true , 0 ? r6 ;
to 39 : when true , 0 ? r7 ;
to 40 : when true , 0 ? r8 ;
state 33 :
to 11 : when true , 1 ! d ;
state 34 :
to 11 : when true , 2 ! d ;
state 36 :
to 11 : when true , 4 ! d ;
state 37 :
to 11 : when true , 5 ! d ;
state 38 :
to 11 : when true , 6 ! d ;
state 39 :
to 11 : when true , 7 ! d ;
state 40 :
to 11 : when true , 8 ! d ;
state 4 :
to 12 : when true , 4 ! g ;
state 12 :
to 0 : when true , 0 ? e4 ;
to 41 : when true , 0 ? r1 ;
to 42 : when true , 0 ? r2 ;
to 43 : when true , 0 ? r3 ;
to 45 : when true , 0 ? r5 ;
to 46 : when true , 0 ? r6 ;
to 47 : when true , 0 ? r7 ;
to 48 : when true , 0 ? r8 ;
state 41 :
to 12 : when true , 1 ! d ;
state 42 :
to 12 : when true , 2 ! d ;
state 43 :
to 12 : when true , 3 ! d ;
state 45 :
to 12 : when true , 5 ! d ;
state 46 :
to 12 : when true , 6 ! d ;
state 47 :
to 12 : when true , 7 ! d ;
state 48 :
to 12 : when true , 8 ! d ;
state 5 :
to 13 : when true , 5 ! g ;
state 13 :
to 0 : when true , 0 ? e5 ;
to 49 : when true , 0 ? r1 ;
to 50 : when true , 0 ? r2 ;
to 51 : when true , 0 ? r3 ;
to 52 : when true , 0 ? r4 ;
to 54 : when true , 0 ? r6 ;
to 55 : when true , 0 ? r7 ;
to 56 : when true , 0 ? r8 ;
state 49 :
to 13 : when true , 1 ! d ;
state 50 :
to 13 : when true , 2 ! d ;
state 51 :
to 13 : when true , 3 ! d ;
state 52 :
to 13 : when true , 4 ! d ;
state 54 :
to 13 : when true , 6 ! d ;
state 55 :
to 13 : when true , 7 ! d ;
state 56 :
to 13 : when true , 8 ! d ;
state 6 :
to 14 : when true , 6 ! g ;
state 14 :
to 0 : when true , 0 ? e6 ;
to 57 : when true , 0 ? r1 ;
to 58 : when true , 0 ? r2 ;
to 59 : when true , 0 ? r3 ;
to 60 : when true , 0 ? r4 ;
to 61 : when true , 0 ? r5 ;
to 63 : when true , 0 ? r7 ;
to 64 : when true , 0 ? r8 ;
state 57 :
to 14 : when true , 1 ! d ;
state 58 :
to 14 : when true , 2 ! d ;
state 59 :
to 14 : when true , 3 ! d ;
state 60 :
to 14 : when true , 4 ! d ;
state 61 :
to 14 : when true , 5 ! d ;
state 63 :
to 14 : when true , 7 ! d ;
state 64 :
to 14 : when true , 8 ! d ;
state 7 :
to 15 : when true , 7 ! g ;
state 15 :
to 0 : when true , 0 ? e7 ;
to 65 : when true , 0 ? r1 ;
to 66 : when true , 0 ? r2 ;
to 67 : when true , 0 ? r3 ;
to 68 : when true , 0 ? r4 ;
to 69 : when true , 0 ? r5 ;
to 70 : when true , 0 ? r6 ;
to 72 : when true , 0 ? r8 ;
state 65 :
to 15 : when true , 1 ! d ;
state 66 :
to 15 : when true , 2 ! d ;
state 67 :
to 15 : when true , 3 ! d ;
state 68 :
to 15 : when true , 4 ! d ;
state 69 :
to 15 : when true , 5 ! d ;
state 70 :
to 15 : when true , 6 ! d ;
state 72 :
to 15 : when true , 8 ! d ;
state 8 :
to 16 : when true , 8 ! g ;
state 16 :
to 0 : when true , 0 ? e8 ;
to 73 : when true , 0 ? r1 ;
to 74 : when true , 0 ? r2 ;
to 75 : when true , 0 ? r3 ;
to 76 : when true , 0 ? r4 ;
to 77 : when true , 0 ? r5 ;
to 78 : when true , 0 ? r6 ;
to 79 : when true , 0 ? r7 ;
state 73 :
to 16 : when true , 1 ! d ;
state 74 :
to 16 : when true , 2 ! d ;
state 75 :
to 16 : when true , 3 ! d ;
state 76 :
to 16 : when true , 4 ! d ;
state 77 :
to 16 : when true , 5 ! d ;
state 78 :
to 16 : when true , 6 ! d ;
state 79 :
to 16 : when true , 7 ! d ;

automaton client1 :
initial : 0
state 0 :
to 1 : when true , 0 ! r1 ;
state 1 :
to 2 : when true , 1 ? g ;
to 0 : when true , 1 ? d ;
// has the lock
state 2 :
to 0 : when true , 0 ! e1 ;

automaton client2 :
initial : 0
state 0 :
to 1 : when true , 0 ! r2 ;
state 1 :
to 2 : when true , 2 ? g ;
to 0 : when true , 2 ? d ;
// has the lock
state 2 :
to 0 : when true , 0 ! e2 ;

automaton client3 :
initial : 0
state 0 :
to 1 : when true , 0 ! r3 ;
state 1 :
to 2 : when true , 3 ? g ;
to 0 : when true , 3 ? d ;
// has the lock
state 2 :
to 0 : when true , 0 ! e3 ;

automaton client4 :
initial : 0
state 0 :
to 1 : when true , 0 ! r4 ;
state 1 :
to 2 : when true , 4 ? g ;
to 0 : when true , 4 ? d ;
// has the lock
state 2 :
to 0 : when true , 0 ! e4 ;

automaton client5 :
initial : 0
state 0 :
to 1 : when true , 0 ! r5 ;
state 1 :
to 2 : when true , 5 ? g ;
to 0 : when true , 5 ? d ;
// has the lock
state 2 :
to 0 : when true , 0 ! e5 ;

automaton client6 :
initial : 0
state 0 :
to 1 : when true , 0 ! r6 ;
state 1 :
to 2 : when true , 6 ? g ;
to 0 : when true , 6 ? d ;
// has the lock
state 2 :
to 0 : when true , 0 ! e6 ;

automaton client7 :
initial : 0
state 0 :
to 1 : when true , 0 ! r7 ;
state 1 :
to 2 : when true , 7 ? g ;
to 0 : when true , 7 ? d ;
// has the lock
state 2 :
to 0 : when true , 0 ! e7 ;

automaton client8 :
initial : 0
state 0 :
to 1 : when true , 0 ! r8 ;
state 1 :
to 2 : when true , 8 ? g ;
to 0 : when true , 8 ? d ;
// has the lock
state 2 :
to 0 : when true , 0 ! e8 ;

bad_states :
(automaton client1 : in 2 : true automaton client2 : in 2 : true)
(automaton client1 : in 2 : true automaton client3 : in 2 : true)
(automaton client1 : in 2 : true automaton client4 : in 2 : true)
(automaton client1 : in 2 : true automaton client5 : in 2 : true)
(automaton client1 : in 2 : true automaton client6 : in 2 : true)
(automaton client1 : in 2 : true automaton client7 : in 2 : true)
(automaton client1 : in 2 : true automaton client8 : in 2 : true)
(automaton client2 : in 2 : true automaton client3 : in 2 : true)
(automaton client2 : in 2 : true automaton client4 : in 2 : true)
(automaton client2 : in 2 : true automaton client5 : in 2 : true)
(automaton client2 : in 2 : true automaton client6 : in 2 : true)
(automaton client2 : in 2 : true automaton client7 : in 2 : true)
(automaton client2 : in 2 : true automaton client8 : in 2 : true)
(automaton client3 : in 2 : true automaton client4 : in 2 : true)
(automaton client3 : in 2 : true automaton client5 : in 2 : true)
(automaton client3 : in 2 : true automaton client6 : in 2 : true)
(automaton client3 : in 2 : true automaton client7 : in 2 : true)
(automaton client3 : in 2 : true automaton client8 : in 2 : true)
(automaton client4 : in 2 : true automaton client5 : in 2 : true)
(automaton client4 : in 2 : true automaton client6 : in 2 : true)
(automaton client4 : in 2 : true automaton client7 : in 2 : true)
(automaton client4 : in 2 : true automaton client8 : in 2 : true)
(automaton client5 : in 2 : true automaton client6 : in 2 : true)
(automaton client5 : in 2 : true automaton client7 : in 2 : true)
(automaton client5 : in 2 : true automaton client8 : in 2 : true)
(automaton client6 : in 2 : true automaton client7 : in 2 : true)
(automaton client6 : in 2 : true automaton client8 : in 2 : true)
(automaton client7 : in 2 : true automaton client8 : in 2 : true)
