/* The argument of an inline does not make sense in its body. */
byte x;
inline add(amount) { x = 0; x = x + amount }

init { x = 1; add(*) }
