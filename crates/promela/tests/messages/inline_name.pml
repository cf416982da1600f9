/* A name in the body of an inline is not declared where it is called. */
byte x;
inline add(amount) { skip; total = total + amount }

init { x = 1; add(x) }
