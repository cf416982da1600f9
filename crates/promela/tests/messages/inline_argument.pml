/* The argument of an inline does not make sense in its body. */
byte x;
inline add(amount) { x = x + amount }

init { add(;) }
