/* The declaration of a channel lacks its `=`. */
chan q[2] of { byte };

init { q!1 }
